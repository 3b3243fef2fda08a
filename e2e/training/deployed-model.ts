import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Packages } from '../../src-main/hub/registry/models/packages.ts';
import type { Camera } from '../../src-main/apis/camera.ts';
import type { MlModel } from '../../src-main/apis/mlmodel.ts';
import type { Vision } from '../../src-main/apis/vision.ts';
import type { BuiltResource } from '../../src-main/machine/catalog/model.ts';
import { TestBench } from '../../src-main/machine/models/bench.fixture.ts';
import { overlapOf } from '../../src-main/inference/findings/testing/overlap.ts';
import { Agreement } from './agreement.ts';

/** The result of a vision service on pictures of the fake camera, compared with the camera's own data. */
export interface Compared {
  /** Mean over all shapes of the overlap with their detected box; 0 where none was found. */
  readonly meanOverlap: number;
  /** Share of shapes whose box has the right label. */
  readonly rightLabels: number;
  /** Boxes that overlap with no shape. */
  readonly falseBoxes: number;
}

/** For a detection without a box: overlaps with nothing. */
const nowhere = { xMin: 0, yMin: 0, xMax: 0, yMax: 0 };

/** Unpacks the newest version of a model as a machine does. @returns the folder */
export async function unpackModel(packages: Packages, organizationId: string, name: string): Promise<string> {
  const [model] = await packages.list([organizationId], { type: 'ml_model', name });
  if (model === undefined) throw new Error(`the hub has no model ${name}`);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'armature-deployed-'));
  const archive = path.join(folder, 'model.tar.gz');
  await writeFile(archive, await buffer(await packages.open(model, 0)));
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  return folder;
}

/** Runs a model with the services of a machine, on pictures of the fake camera that were not used in training. */
export class DeployedModel {
  readonly #bench = new TestBench();
  readonly #open: BuiltResource[] = [];

  async open(folder: string, name: string): Promise<Vision> {
    const files = { model_path: path.join(folder, `${name}.onnx`), label_path: path.join(folder, 'labels.txt') };
    this.#open.push(await this.#bench.build<MlModel>('core:service:mlmodel', 'onnx_cpu', 'net', files));
    const attributes = { mlmodel_name: 'net', default_minimum_confidence: 0.5 };
    const eyes = await this.#bench.build<Vision>('core:service:vision', 'mlmodel', 'eyes', attributes);
    this.#open.push(eyes);
    return eyes;
  }

  /** A picture of a camera with this seed. */
  async camera(seed: number, shapes: number): Promise<Camera> {
    const attributes = { seed, shapes, animated: false };
    return this.#bench.build<Camera>('core:component:camera', 'fake', 'cam', attributes);
  }

  async compare(eyes: Vision, seeds: readonly number[]): Promise<Compared> {
    const agreement = new Agreement();
    let falseBoxes = 0;
    for (const seed of seeds) {
      const camera = await this.camera(seed, 1 + (seed % 4));
      const found = (await eyes.detectionsFromCamera('cam')).map(({ label, shares }) => ({
        label,
        ...(shares ?? nowhere),
      }));
      const told = (await camera.doCommand?.({ truth: true }))?.['boxes'] as Record<string, never>[];
      const truth = told.map((one) => ({
        label: one['label'] as unknown as string,
        xMin: Number(one['x_min_normalized']),
        yMin: Number(one['y_min_normalized']),
        xMax: Number(one['x_max_normalized']),
        yMax: Number(one['y_max_normalized']),
      }));
      agreement.add(found, truth);
      falseBoxes += found.filter((box) => truth.every((thing) => overlapOf(box, thing) < 0.3)).length;
    }
    const { meanOverlap, rightLabels } = agreement;
    return { meanOverlap, rightLabels, falseBoxes };
  }

  async close(): Promise<void> {
    for (const one of this.#open.toReversed()) await one.close();
  }
}
