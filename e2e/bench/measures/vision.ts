import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { CameraServiceDefinition } from '../../../proto/gen/core/component/camera/v1/camera.ts';
import { VisionServiceDefinition } from '../../../proto/gen/core/service/vision/v1/vision.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { until } from '../../harness/until.ts';
import type { Measure } from '../measure.ts';
import { endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';
import { msToVersion, startArmature, type ArmatureServer } from '../servers/armature.ts';
import { rowOf } from '../statistics.ts';
import type { BareRound } from '../vision/bare-onnx.ts';
import { BOXES, convDetector } from '../vision/conv-detector.ts';
import { DEVIATION, MEAN } from '../vision/plain-loop.ts';

const CAMERAS = 8;
/** Pictures per round. */
const PICTURES = 100;
/** Concurrent calls: one picture is decoded while another is processed by the model. */
const IN_FLIGHT = 3;
const READY_LIMIT_MS = 30_000;
const DELAY_LIMIT_MS = 5_000;

const preload = pathToFileURL(path.join(import.meta.dirname, '../servers/loop-delay.mjs')).href;

const cameraNames = Array.from({ length: CAMERAS }, (_, index) => `cam-${index}`);

const config = (model: string) => (port: number) =>
  JSON.stringify({
    network: { bind_address: `127.0.0.1:${port}` },
    components: cameraNames.map((name, seed) => ({
      ...{ name, api: 'core:component:camera', model: 'fake' },
      attributes: { seed, animated: false },
    })),
    services: [
      {
        ...{ name: 'net', api: 'core:service:mlmodel', model: 'onnx_cpu' },
        attributes: { model_path: model, num_threads: 1 },
      },
      {
        ...{ name: 'eyes', api: 'core:service:vision', model: 'mlmodel' },
        attributes: {
          mlmodel_name: 'net',
          input_image_mean_value: [MEAN, MEAN, MEAN],
          input_image_std_dev: [DEVIATION, DEVIATION, DEVIATION],
        },
      },
    ],
  });

async function picturesOf(client: MachineClient): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (const name of cameraNames) {
    const { images } = await client.grpc.call(CameraServiceDefinition, 'getImages', {
      ...{ name, filterSourceNames: [], extra: undefined },
    });
    pictures.push(Buffer.from(images[0]?.image ?? []));
  }
  return pictures;
}

async function detect(client: MachineClient, image: Buffer): Promise<number> {
  const { detections } = await client.grpc.call(VisionServiceDefinition, 'getDetections', {
    ...{ name: 'eyes', image, width: 640n, height: 480n, mimeType: 'image/jpeg', extra: undefined },
  });
  return detections.length;
}

/** @returns ms until all pictures were answered, each with all of its boxes */
async function ourMs(client: MachineClient, pictures: readonly Buffer[]): Promise<number> {
  const pictureAt = (index: number): Buffer => pictures[index % pictures.length] ?? Buffer.of();
  const work = Array.from({ length: PICTURES }, (_, index) => pictureAt(index)).values();
  const start = performance.now();
  const caller = async (): Promise<void> => {
    for (const picture of work) {
      const found = await detect(client, picture);
      if (found !== BOXES) throw new Error(`the vision service found ${found} boxes of ${BOXES}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  return performance.now() - start;
}

/** 99th percentile of the delay of the server's event loop during `work`, ms. */
async function delayDuring({ child }: ArmatureServer, file: string, work: () => Promise<void>): Promise<number> {
  await rm(file, { force: true });
  child.kill('SIGUSR2');
  await work();
  child.kill('SIGUSR2');
  const isWritten = async (): Promise<boolean> => existsSync(file) && (await readFile(file, 'utf8')) !== '';
  await until('the delay of the event loop is told', isWritten, DELAY_LIMIT_MS);
  return Number(await readFile(file, 'utf8'));
}

/** Pictures analyzed by a vision service over gRPC, compared with ONNX Runtime in a plain loop. */
export const vision: Measure = {
  name: 'vision',
  isDefault: true,
  async run({ rounds, scratchFolder, note }) {
    const model = path.join(scratchFolder, 'detector.onnx');
    await writeFile(model, convDetector());
    const delayFile = path.join(scratchFolder, 'loop-delay');
    const server = await startArmature(scratchFolder, config(model), {
      NODE_OPTIONS: `--import=${preload}`,
      LOOP_DELAY_FILE: delayFile,
    });
    const client = new MachineClient(server.url);
    try {
      await msToVersion(server);
      let pictures: readonly Buffer[] = [];
      const isReady = async (): Promise<boolean> => {
        try {
          pictures = await picturesOf(client);
          return (await detect(client, pictures[0] ?? Buffer.of())) > 0;
        } catch {
          return false;
        }
      };
      await until('the cameras and the vision service answer', isReady, READY_LIMIT_MS);
      const files = pictures.map((_, index) => path.join(scratchFolder, `picture-${index}.jpg`));
      for (const [index, file] of files.entries()) await writeFile(file, pictures[index] ?? '');
      const bare = spawnNode([path.join(import.meta.dirname, '../vision/bare-onnx.ts'), model, ...files], {
        ...{ cpu: SERVER_CPU, environment: {}, hasChannel: true },
      });
      const found = { ours: [] as number[], peer: [] as number[] };
      const delays = { ours: [] as number[], peer: [] as number[] };
      try {
        await once(bare, 'message');
        for (let round = 0; round <= rounds; round++) {
          note(round === 0 ? 'warms up' : `round ${round}`);
          let ms = 0;
          const delayMs = await delayDuring(server, delayFile, async () => {
            ms = await ourMs(client, pictures);
          });
          bare.send({ pictures: PICTURES });
          const [peer] = (await once(bare, 'message')) as [BareRound];
          if (round === 0) continue;
          found.ours.push((PICTURES / ms) * 1_000);
          found.peer.push((PICTURES / peer.ms) * 1_000);
          delays.ours.push(delayMs);
          delays.peer.push(peer.delayMs);
        }
      } finally {
        await endProcess(bare);
      }
      return [
        rowOf(
          {
            name: 'detections',
            what: `JPEGs of 640x480 over gRPC, ${IN_FLIGHT} in flight / sharp, a loop and onnxruntime-node alone`,
            unit: 'pictures/s',
            target: { kind: 'at least', value: 0.8 },
          },
          found,
          {},
        ),
        rowOf(
          {
            name: 'detections, event loop, p99',
            what: 'delay of the event loop meanwhile / that of the other process, which computes in it',
            unit: 'ms',
            target: undefined,
          },
          delays,
          {},
        ),
      ];
    } finally {
      client.close();
      await server.end();
    }
  },
};
