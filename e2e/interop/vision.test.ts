import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as sdk from '@viamrobotics/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shapeDetector } from '../../src-main/inference/findings/testing/shape-detector.ts';
import { pythonWith, viamSdkWithModels } from '../harness/python-environment.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { useGrpcTransport } from './sdk-transport.ts';

useGrpcTransport();

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'vision.py');
const noClasses = /"eyes" gives no classifications: its model has no probability among its outputs/;

interface Seen {
  readonly from_camera: readonly unknown[];
  readonly of_image: readonly unknown[];
  readonly all: readonly unknown[];
}

describe('a vision service and its model, for the public SDKs', () => {
  let server: ServerProcess;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-vision-'));
    const [model, labels] = [path.join(folder, 'shapes.onnx'), path.join(folder, 'labels.txt')];
    await writeFile(model, shapeDetector(320, 240, 3));
    await writeFile(labels, 'shape\n');
    // As on the public server, except for the runtime of the model.
    const config = JSON.stringify({
      network: { bind_address: 'localhost:0' },
      components: [
        { name: 'cam', api: 'rdk:component:camera', model: 'fake', attributes: { seed: 4, animated: false } },
      ],
      services: [
        {
          ...{ name: 'net', api: 'rdk:service:mlmodel', model: 'onnx_cpu' },
          attributes: { model_path: model, label_path: labels },
        },
        {
          ...{ name: 'eyes', api: 'rdk:service:vision', model: 'rdk:builtin:mlmodel' },
          attributes: { mlmodel_name: 'net', input_image_mean_value: [0, 0, 0], input_image_std_dev: [1, 1, 1] },
        },
      ],
    });
    server = await startServer({ config });
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    await rm(folder, { recursive: true });
  });

  it('are asked by that for TypeScript', async () => {
    const robot = new sdk.RobotClient();
    await robot.dial({ host: server.url, noReconnect: true });
    try {
      const eyes = new sdk.VisionClient(robot, 'eyes');
      const found = await eyes.getDetectionsFromCamera('cam');
      expect(found).toMatchObject(Array(3).fill({ className: 'shape', confidence: 0.875 }));
      const { images } = await new sdk.CameraClient(robot, 'cam').getImages();
      expect(await eyes.getDetections(images[0]!.image, 640, 480, 'image/jpeg')).toEqual(found);
      const wanted = {
        returnImage: true,
        returnDetections: true,
        returnClassifications: true,
        returnObjectPointClouds: false,
      };
      const all = await eyes.captureAllFromCamera('cam', wanted);
      expect([all.image?.mimeType, all.detections, all.classifications]).toEqual(['image/jpeg', found, []]);
      expect(await eyes.getProperties()).toMatchObject({ detectionsSupported: true, classificationsSupported: false });
      await expect(eyes.getClassificationsFromCamera('cam', 1)).rejects.toThrow(noClasses);
      await expect(eyes.getObjectPointClouds('cam')).rejects.toThrow(/does not support GetObjectPointClouds/);
      const { metadata } = await new sdk.MLModelClient(robot, 'net').metadata();
      expect(metadata?.inputInfo).toMatchObject([{ name: 'image', dataType: 'float32', shape: [1, 3, 240, 320] }]);
    } finally {
      await robot.disconnect();
    }
  });

  it('are asked by that for Python', async (context) => {
    const { python, whyNot } = pythonWith(viamSdkWithModels);
    if (whyNot !== undefined) context.skip(whyNot);
    const { port } = new URL(server.url);
    const { stdout } = await run(python, [script, `localhost:${port}`], { timeout: 25_000 });
    const seen = JSON.parse(stdout) as Seen;
    expect(seen).toMatchObject({
      from_camera: Array(3).fill(['shape', 0.875, ...Array<unknown>(4).fill(expect.any(Number))]),
      image: 'image/jpeg',
      properties: [true, false, false],
      inputs: [['image', 'float32', [1, 3, 240, 320]]],
      outputs: ['category', 'location', 'score'],
      // Rows 10 to 20 and columns 40 to 60 are red.
      location: [10, 40, 20, 60],
      status: 'image',
      no_points: expect.stringMatching(/"eyes": its model does not support GetObjectPointClouds/) as string,
      unknown: 'UNIMPLEMENTED',
      nothing_to_command: 'UNIMPLEMENTED',
      no_classes: expect.stringMatching(noClasses) as string,
      wrong_type: expect.stringMatching(/the type of input tensor "image" is "uint8"; allowed is float32/) as string,
    });
    expect(seen.of_image).toEqual(seen.from_camera);
    expect(seen.all).toEqual(seen.from_camera);
  }, 240_000);
});
