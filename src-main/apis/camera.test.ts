import { describe, expect, it } from 'vitest';
import { cameraApi, requireSources, type Camera, type CameraImages, type CameraProperties } from './camera.ts';
import type { CallOptions } from './resource.ts';
import { ManualClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { ServerCall } from '../rpc/call.ts';
import { CallRouter } from '../rpc/routing/call-router.ts';
import { localConnection } from '../rpc/routing/local-call.ts';

const color = { sourceName: 'color', mimeType: 'image/jpeg', bytes: Buffer.from('colour') };
const depth = { sourceName: 'depth', mimeType: 'image/png', bytes: Buffer.from('depth') };
const properties: CameraProperties = {
  isPointCloudSupported: true,
  mimeTypes: ['image/jpeg', 'image/png'],
  frameRate: 12.5,
  intrinsics: { widthPx: 640, heightPx: 480, focalXPx: 500.5, focalYPx: 501, centerXPx: 320, centerYPx: 240 },
  distortion: { model: 'brown_conrady', parameters: [0.1, -0.2] },
};

function cameraOf(given: Partial<CameraImages> = {}) {
  const calls: unknown[][] = [];
  const camera: Camera = {
    name: 'eye',
    async images(sourceNames: readonly string[], options?: CallOptions) {
      calls.push(['images', sourceNames, options?.extra]);
      return { images: [color, depth], ...given };
    },
    async properties() {
      return properties;
    },
    async pointCloud(mimeType: string, options?: CallOptions) {
      calls.push(['pointCloud', mimeType, options?.extra]);
      return { mimeType: 'pointcloud/pcd', bytes: Buffer.from('points') };
    },
    async close() {},
  };
  return { camera, calls };
}

/** The client of a camera that is served on the other side of a wire. */
function remote(camera: Camera): Camera {
  const clock = new ManualClock();
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: 1 << 20 });
  router.addResourceService(cameraApi.service, cameraApi.handlers, () => ({ kind: 'local', resource: camera }));
  const connection = localConnection('test');
  return cameraApi.client({
    name: 'eye',
    start: (path, metadata, timeoutMs, responder) => router.start({ path, metadata, timeoutMs, connection }, responder),
    codes: { unreachable: 'peer.unreachable', refused: 'peer.unreachable' },
    clock,
    closed: new AbortController().signal,
  });
}

describe('a camera of another process', () => {
  it('gives its pictures as they are, of the sources that are asked for, with their time', async () => {
    const capturedAt = new Date('2026-11-23T20:00:00.123Z');
    const { camera, calls } = cameraOf({ capturedAt });
    const { images, ...rest } = await remote(camera).images(['color', 'depth'], { extra: { fast: true } });
    expect(images.map((image) => ({ ...image, bytes: Buffer.from(image.bytes) }))).toEqual([color, depth]);
    expect(rest).toEqual({ capturedAt });
    expect(calls).toEqual([['images', ['color', 'depth'], { fast: true }]]);
  });

  it('may leave out when they were taken', async () => {
    expect((await remote(cameraOf().camera).images([])).capturedAt).toBeUndefined();
  });

  it('tells what it can do', async () => {
    expect(await remote(cameraOf().camera).properties()).toEqual(properties);
    const bare = { isPointCloudSupported: false, mimeTypes: ['image/png'] };
    const camera = { ...cameraOf().camera, properties: () => Promise.resolve(bare) };
    expect(await remote(camera).properties()).toEqual(bare);
  });

  it('gives points in space where its model has them', async () => {
    const { camera, calls } = cameraOf();
    const cloud = await remote(camera).pointCloud?.('pointcloud/pcd', { extra: { dense: 1 } });
    expect([cloud?.mimeType, Buffer.from(cloud!.bytes).toString()]).toEqual(['pointcloud/pcd', 'points']);
    expect(calls).toEqual([['pointCloud', 'pointcloud/pcd', { dense: 1 }]]);
    const { pointCloud: _, ...flat } = camera;
    await expect(remote(flat).pointCloud?.('')).rejects.toMatchObject({ code: 'call.unimplemented' });
  });
});

describe('GetImage, for old clients', () => {
  const getImage = (camera: Camera, mimeType: string) =>
    cameraApi.handlers.getImage?.(camera, { name: 'eye', mimeType }, {
      signal: new AbortController().signal,
    } as ServerCall);

  it('is the first picture, or the first of the type that is asked for', async () => {
    const { camera } = cameraOf();
    expect(await getImage(camera, '')).toEqual({ mimeType: 'image/jpeg', image: color.bytes });
    expect(await getImage(camera, 'image/png')).toEqual({ mimeType: 'image/png', image: depth.bytes });
  });

  it('is refused in a type that the camera does not make', async () => {
    await expect(getImage(cameraOf().camera, 'image/qoi')).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: '"eye": mime_type is "image/qoi"; allowed is image/jpeg or image/png, since pictures are not converted.',
    });
    await expect(getImage(cameraOf({ images: [] }).camera, '')).rejects.toMatchObject({ code: 'hardware.failed' });
  });
});

it('a source that a camera does not have is refused with those that it has', () => {
  const { camera } = cameraOf();
  requireSources(camera, [], ['color']);
  requireSources(camera, ['color'], ['color', 'depth']);
  expect(() => requireSources(camera, ['heat', 'color'], ['color', 'depth'])).toThrow(
    '"eye": filter_source_names is "heat"; allowed is color, depth.',
  );
});
