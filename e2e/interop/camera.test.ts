import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import * as sdk from '@viamrobotics/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CameraServiceDefinition } from '../../proto/gen/core/component/camera/v1/camera.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { pythonWith, viamSdk } from '../harness/python-environment.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { useGrpcTransport } from './sdk-transport.ts';

useGrpcTransport();

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'camera.py');

const config = JSON.stringify({
  network: { bind_address: 'localhost:0' },
  components: [
    // As on the public server.
    {
      name: 'eye',
      api: 'rdk:component:camera',
      model: 'rdk:builtin:fake',
      attributes: { width: 320, height: 240, animated: true },
    },
  ],
});
const refusal = /"eye": filter_source_names is "depth"; allowed is color/;
const jpeg = 'ffd8ff';

describe('a camera, for the public SDKs', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServer({ config });
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  it('is looked through by that for TypeScript', async () => {
    const robot = new sdk.RobotClient();
    await robot.dial({ host: server.url, noReconnect: true });
    try {
      const eye = new sdk.CameraClient(robot, 'eye');
      const { images, metadata } = await eye.getImages();
      expect(images).toMatchObject([{ sourceName: 'color', mimeType: 'image/jpeg' }]);
      expect(Buffer.from(images[0]!.image).toString('hex', 0, 3)).toBe(jpeg);
      expect(Math.abs(metadata.capturedAt.toDate().getTime() - Date.now())).toBeLessThan(60_000);
      expect(await eye.getProperties()).toMatchObject({ supportsPcd: false, mimeTypes: ['image/jpeg'], frameRate: 10 });
      await expect(eye.getImages(['depth'])).rejects.toThrow(refusal);
      await expect(eye.getPointCloud()).rejects.toThrow('does not support GetPointCloud');
    } finally {
      await robot.disconnect();
    }
  });

  it('is looked through by that for Python', async (context) => {
    const { python, whyNot } = pythonWith(viamSdk);
    if (whyNot !== undefined) context.skip(whyNot);
    const { port } = new URL(server.url);
    const { stdout } = await run(python, [script, `localhost:${port}`], { timeout: 25_000 });
    expect(JSON.parse(stdout)).toMatchObject({
      images: [['color', 'image/jpeg', jpeg, 320]],
      filtered: ['color'],
      captured_at: expect.closeTo(Date.now() / 1_000, -2) as number,
      mime_types: ['image/jpeg'],
      frame_rate: 10,
      supports_pcd: false,
      boxes: 3,
      refusal: expect.stringMatching(refusal) as string,
      no_points: expect.stringContaining('does not support GetPointCloud') as string,
    });
  }, 240_000);

  it('gives one picture to clients of before GetImages', async () => {
    const old = { ...CameraServiceDefinition, fullName: 'viam.component.camera.v1.CameraService' };
    const client = new GrpcClient(server.url);
    try {
      const { image, mimeType } = await client.call(old, 'getImage', { name: 'eye', mimeType: '' });
      expect([mimeType, Buffer.from(image).toString('hex', 0, 3)]).toEqual(['image/jpeg', jpeg]);
      await expect(client.call(old, 'getImage', { name: 'eye', mimeType: 'image/png' })).rejects.toThrow(
        /"eye": mime_type is "image\/png"; allowed is image\/jpeg/,
      );
    } finally {
      client.close();
    }
  });
});
