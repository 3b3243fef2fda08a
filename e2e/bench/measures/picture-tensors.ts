import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import sharp from 'sharp';
import { pythonWith, type PythonEnvironment } from '../../harness/python-environment.ts';
import type { Measure, Outcome } from '../measure.ts';
import { endAtExit, endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';
import { pinnedTo } from '../servers/hub.ts';
import { rowOf } from '../statistics.ts';
import type { TensorQuestion } from '../vision/tensor-process.ts';

const SIZES = [
  { width: 640, height: 480, count: 40 },
  { width: 1_920, height: 1_080, count: 8 },
] as const;
const pillow = ['pillow==13.0.0', 'numpy==2.4.6'];
const folder = path.join(import.meta.dirname, '../vision');

/** A picture with as much detail as a camera's: coarse noise, enlarged and blurred. */
async function jpegOf(width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const create = { width: width / 4, height: height / 4, channels: 3, background: '#000', noise } as const;
  const coarse = await sharp({ create }).png().toBuffer();
  return sharp(coarse).resize({ width, height, kernel: 'cubic' }).blur(1.5).jpeg({ quality: 90 }).toBuffer();
}

/** Pillow, in a separate process on the servers' processor. */
class PillowProcess {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(child: ChildProcess, lines: Interface) {
    this.#child = child;
    this.#lines = lines;
  }

  static async start(python: string, picture: string): Promise<PillowProcess> {
    const [program = python, ...args] = [...pinnedTo(SERVER_CPU), python, path.join(folder, 'tensors.py'), picture];
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    endAtExit(child);
    const lines = createInterface({ input: child.stdout });
    await once(lines, 'line');
    return new PillowProcess(child, lines);
  }

  /** @returns ms for one picture */
  async ms(count: number): Promise<number> {
    const answer = once(this.#lines, 'line');
    this.#child.stdin?.write(`${count}\n`);
    return Number((await answer)[0]);
  }

  end(): Promise<void> {
    return endProcess(this.#child);
  }
}

async function askProcess(child: ChildProcess, question: TensorQuestion): Promise<number> {
  const answer = once(child, 'message') as Promise<[number]>;
  child.send(question);
  return (await answer)[0];
}

/** JPEGs converted to the floats of a model: ours against sharp with a plain loop, and against Pillow with numpy. */
export const pictureTensors: Measure = {
  name: 'picture-tensors',
  isDefault: true,
  async run({ rounds, scratchFolder, note }) {
    const environment: PythonEnvironment = pythonWith(...pillow);
    const outcomes: Outcome[] = [];
    for (const { width, height, count } of SIZES) {
      const size = `${width}x${height}`;
      const file = path.join(scratchFolder, `${size}.jpg`);
      await writeFile(file, await jpegOf(width, height));
      const child = spawnNode([path.join(folder, 'tensor-process.ts'), file], {
        ...{ cpu: SERVER_CPU, environment: {}, hasChannel: true },
      });
      child.stderr?.pipe(process.stderr);
      const ready = once(child, 'message');
      const python = environment.whyNot === undefined ? await PillowProcess.start(environment.python, file) : undefined;
      const found = { ours: [] as number[], peer: [] as number[] };
      const numpy = { ours: [] as number[], peer: [] as number[] };
      try {
        await ready;
        for (let round = 0; round <= rounds; round++) {
          note(`${size}: ${round === 0 ? 'warms up' : `round ${round}`}`);
          const ours = await askProcess(child, { way: 'ours', count });
          const loop = await askProcess(child, { way: 'loop', count });
          const pillowMs = await python?.ms(count);
          if (round === 0) continue;
          found.ours.push(ours);
          found.peer.push(loop);
          if (pillowMs === undefined) continue;
          numpy.ours.push(ours);
          numpy.peer.push(pillowMs);
        }
      } finally {
        await endProcess(child);
        await python?.end();
      }
      const row = { unit: 'ms', target: { kind: 'at most', value: 1 } } as const;
      const what = `a JPEG of ${size} as floats`;
      outcomes.push(
        rowOf({ ...row, name: `picture to tensor, ${size}`, what: `${what} / sharp and a plain loop` }, found, {}),
        environment.whyNot === undefined
          ? rowOf(
              {
                ...{ name: `picture to tensor, ${size}, numpy`, what: `${what} / Pillow and numpy` },
                ...{ unit: 'ms', target: undefined },
              },
              numpy,
              {},
            )
          : { name: `picture to tensor, ${size}, numpy`, missing: 'skipped', reason: environment.whyNot },
      );
    }
    return outcomes;
  },
};
