import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { onnxFile } from '../../inference/onnx/testing/onnx-file.ts';
import type { Packages, StoredPackage } from '../registry/models/packages.ts';
import { archiveOf } from '../registry/testing/upload-package.ts';
import { defaultRunLimits, ModelRuns, type RunLimits } from './model-runs.ts';

const brightness = onnxFile({
  inputs: [{ name: 'image', type: 'float32', shape: [1, 3, 4, 6] }],
  outputs: [{ name: 'probability', type: 'float32', shape: [1, 1] }],
  nodes: [
    { op: 'ReduceMean', inputs: ['image'], outputs: ['probability'], attributes: { axes: [1, 2, 3], keepdims: 0 } },
  ],
});
const archive = archiveOf([{ name: 'light.onnx', content: Buffer.from(brightness) }]);

const model: StoredPackage = {
  ...{ organizationId: 'acme', type: 'ml_model', name: 'light', version: '1.0.0' },
  ...{ bytes: archive.length, sha256: 'a', crc32c: '', files: [], uploadedAt: 0, uploadedBy: 'test' },
  metadata: { model_file: 'light.onnx', labels: ['light'] },
};

describe('runs of models', () => {
  let folder: string;
  let open: ModelRuns[];
  const { signal } = new AbortController();

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-runs-'));
    open = [];
  });
  afterEach(async () => {
    for (const runs of open) await runs.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** @param reads counts how often the package was read */
  const runsWith = (limits: Partial<RunLimits>, reads = { count: 0 }): ModelRuns => {
    const packages = {
      open: async () => {
        reads.count++;
        const bytes = Readable.from([archive]);
        return Object.assign(bytes, { close: () => void bytes.destroy() });
      },
    } as unknown as Packages;
    const runs = new ModelRuns({
      packages,
      folder: path.join(folder, String(open.length)),
      clock: new ManualClock(0),
      limits: { ...defaultRunLimits, ...limits },
    });
    open.push(runs);
    return runs;
  };
  const white = (): Promise<Buffer> =>
    sharp({ create: { width: 6, height: 4, channels: 3, background: '#ffffff' } })
      .png()
      .toBuffer();
  const see = (runs: ModelRuns, caller = 'me') =>
    runs.run(model, async () => ({ bytes: await white(), mimeType: 'image/png', wantsTensors: false }), caller, signal);

  it('load a model once for all runs that begin meanwhile', async () => {
    const reads = { count: 0 };
    const runs = runsWith({}, reads);
    const seen = await Promise.all([see(runs, 'a'), see(runs, 'b'), see(runs, 'a')]);
    expect(seen.map(({ classifications }) => classifications)).toEqual(
      Array(3).fill([{ label: 'light', confidence: 1 }]),
    );
    expect(reads.count).toBe(1);
    expect(runs.loadedCount).toBe(1);
  });

  it('end a process that takes too long or too much memory, name the model, and unload it', async () => {
    const slow = runsWith({ loadMs: 1 });
    await expect(see(slow)).rejects.toMatchObject({
      code: 'call.deadline_exceeded',
      message: 'Model "light" 1.0.0: it took longer than 0.001 s.',
    });
    expect(slow.loadedCount).toBe(0);
    const processBytes = 32 * 1024 * 1024;
    const large = runsWith({ processBytes });
    await expect(see(large)).rejects.toMatchObject({
      code: 'call.too_large',
      message: `Model "light" 1.0.0: it needs more than ${processBytes} bytes of memory, which is the most.`,
    });
    expect(large.loadedCount).toBe(0);
  });

  it('read no picture before its turn, and refuse a caller with too many queued', async () => {
    const runs = runsWith({ atOnce: 1, waiting: 1, waitingByCaller: 1 });
    const first = Promise.withResolvers<Buffer>();
    let isSecondRead = false;
    const picture = (bytes: Uint8Array) => ({ bytes, mimeType: 'image/png', wantsTensors: false });
    const one = runs.run(model, async () => picture(await first.promise), 'a', signal);
    const two = runs.run(
      model,
      async () => {
        isSecondRead = true;
        return picture(await white());
      },
      'b',
      signal,
    );
    await expect(see(runs, 'c')).rejects.toMatchObject({ code: 'call.overloaded' });
    expect(isSecondRead).toBe(false);
    first.resolve(await white());
    await Promise.all([one, two]);
    expect(isSecondRead).toBe(true);
  });
});
