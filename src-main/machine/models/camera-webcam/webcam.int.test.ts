import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIRST_PICTURE_MS, FROZEN_MS, IDLE_MS } from './capture.ts';
import { TestBench } from '../bench.fixture.ts';
import type { Camera } from '../../../apis/camera.ts';
import type { BuiltResource } from '../../catalog/model.ts';

let folder: string;
let bench: TestBench;
let camera: Camera & BuiltResource;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'webcam-'));
  bench = new TestBench();
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#d02828' } });
  writeFileSync(at('red.jpg'), await picture.jpeg().toBuffer());
  writeFileSync(at('blue.jpg'), await picture.tint('#2850d0').jpeg().toBuffer());
});
afterEach(async () => {
  await camera.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});
const at = (name: string): string => path.join(folder, name);
const lines = (name: string): string[] =>
  existsSync(at(name)) ? readFileSync(at(name), 'utf8').trim().split('\n') : [];

const listed = `echo '[video4linux2,v4l2 @ 0x1] Compressed: mjpeg : Motion-JPEG : 640x480 1280x720' >&2
echo '[video4linux2,v4l2 @ 0x1] Raw : yuyv422 : YUYV 4:2:2 : 320x240' >&2
echo '/dev/null: Immediate exit requested' >&2; exit 1`;
/** Outputs the picture in a file. */
const give = (file: string): string =>
  `printf 'Content-type: image/jpeg\\r\\nContent-length: %s\\r\\n\\r\\n' $(wc -c < ${at(file)}); cat ${at(file)}; printf -- '\\r\\n--ffmpeg\\r\\n'`;
const hang = 'exec tail -f /dev/null';

/** Replaces ffmpeg by a script: what it does when asked for formats, and when asked for pictures. */
function installFfmpeg(capture: string, list = listed): void {
  mkdirSync(at('bin'), { recursive: true });
  const script = `#!/bin/sh
case "$*" in *-list_formats*) ${list};; esac
echo "$*" >> ${at('arguments')}
echo $$ >> ${at('pids')}
${capture}
`;
  writeFileSync(at('bin/next'), script);
  chmodSync(at('bin/next'), 0o755);
  // A script that is overwritten while it runs would fail to start.
  writeFileSync(at('bin/ffmpeg'), `#!/bin/sh\nexec /bin/sh ${at('bin/next')} "$@"\n`);
  chmodSync(at('bin/ffmpeg'), 0o755);
  vi.stubEnv('PATH', `${at('bin')}:${process.env['PATH']}`);
}

/** A camera whose device exists on every computer. */
async function webcam(attributes: object = {}): Promise<void> {
  camera = await bench.build<Camera>('core:component:camera', 'webcam', 'eye', {
    video_path: '/dev/null',
    ...attributes,
  });
}
const isGone = (pid: string): boolean => {
  try {
    return !process.kill(Number(pid), 0);
  } catch {
    return true;
  }
};
const pictureOf = async (): Promise<Buffer> => Buffer.from((await camera.images([])).images[0]!.bytes);
/** Why there is no picture. */
const reason = (): Promise<unknown> =>
  camera.images([]).then(
    () => 'there is a picture',
    (thrown: unknown) => thrown,
  );
/** Advances time until a condition holds, and lets everything run in between. */
async function passUntil(isSo: () => boolean, stepMs = 250): Promise<void> {
  await vi.waitFor(
    async () => {
      bench.clock.advance(stepMs);
      await setImmediate();
      expect(isSo()).toBe(true);
    },
    { timeout: 10_000, interval: 10 },
  );
}

describe('webcam', () => {
  it('gives the newest picture, its time and its name, as the device encoded it', async () => {
    installFfmpeg(`${give('red.jpg')}; ${hang}`);
    await webcam();
    const { images, capturedAt } = await camera.images([]);
    expect(images).toEqual([{ sourceName: 'eye', mimeType: 'image/jpeg', bytes: readFileSync(at('red.jpg')) }]);
    expect(capturedAt).toEqual(new Date(bench.clock.now()));
    expect(lines('arguments')[0]).toContain('-input_format mjpeg -video_size 640x480');
    expect(lines('arguments')[0]).toContain('-c:v copy');
    await expect(camera.images(['other'])).rejects.toMatchObject({ code: 'call.bad_argument' });
  });

  it('gives a picture again for as long as a frame, and waits for the next one after that', async () => {
    installFfmpeg(`${give('red.jpg')}; read -r line < ${at('go')}; ${give('blue.jpg')}; ${hang}`);
    execFileSync('mkfifo', [at('go')]);
    await webcam({ frame_rate: 10 });
    const first = await camera.images([]);
    bench.clock.advance(100);
    expect(await camera.images([])).toEqual(first);
    bench.clock.advance(1);
    const next = pictureOf();
    await writeFile(at('go'), '\n');
    expect(await next).toEqual(readFileSync(at('blue.jpg')));
    expect(lines('arguments')).toHaveLength(1);
    expect(lines('arguments')[0]).toContain('-framerate 10');
  });

  it('encodes what the device does not, and takes the size that is wanted', async () => {
    installFfmpeg(`${give('red.jpg')}; ${hang}`);
    await webcam({ format: 'YUY2', width_px: 320, height_px: 240 });
    await pictureOf();
    expect(lines('arguments')[0]).toMatch(/-input_format yuyv422 -video_size 320x240 .*-c:v mjpeg/);
  });

  it('writes its arguments for an older ffmpeg as that has them', async () => {
    installFfmpeg(`${give('red.jpg')}; ${hang}`, `echo 'ffmpeg version 4.4.2-0ubuntu0.22.04.1' >&2; ${listed}`);
    await webcam();
    await pictureOf();
    expect(lines('arguments')[0]).toContain('-vsync 0');
    expect(lines('arguments')[0]).not.toContain('-fps_mode');
  });

  it('lets the device go when nobody asked for a while, and takes it again for who asks', async () => {
    installFfmpeg(`${give('red.jpg')}; ${hang}`);
    // Slow enough not to count as hung.
    await webcam({ frame_rate: 0.1 });
    await pictureOf();
    const [first = ''] = lines('pids');
    bench.clock.advance(IDLE_MS - 1_000);
    expect(isGone(first)).toBe(false);
    await passUntil(() => isGone(first));
    await vi.waitFor(async () => {
      await pictureOf();
      expect(lines('pids')).toHaveLength(2);
    });
  });

  it('ends ffmpeg when it is closed, and tells who waits', async () => {
    installFfmpeg(hang);
    await webcam();
    const waiting = reason();
    await vi.waitFor(() => expect(lines('pids')).toHaveLength(1));
    await camera.close();
    expect(await waiting).toMatchObject({ code: 'resource.not_ready', message: 'Camera "eye" was closed.' });
    await vi.waitFor(() => expect(isGone(lines('pids')[0]!)).toBe(true));
    await expect(camera.images([])).rejects.toMatchObject({ code: 'resource.not_ready' });
  });

  it('gives up waiting for who gives up', async () => {
    installFfmpeg(hang);
    await webcam();
    const caller = new AbortController();
    const waiting = camera.images([], { signal: caller.signal });
    caller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('webcam whose device fails', () => {
  it('says what ffmpeg says, at once while it waits, and gives pictures again when the device does', async () => {
    installFfmpeg(`${give('red.jpg')}; echo '/dev/null: No such device' >&2; exit 0`);
    await webcam({ frame_rate: 1 });
    await pictureOf();
    const gone = {
      code: 'hardware.gone',
      message: expect.stringContaining('says "/dev/null: No such device"') as string,
    };
    await vi.waitFor(() => expect(bench.log).toHaveLength(1));
    bench.clock.advance(1_001);
    expect(await reason()).toMatchObject(gone);
    installFfmpeg(`${give('blue.jpg')}; ${hang}`);
    await passUntil(() => lines('pids').length === 2);
    await vi.waitFor(() => expect(bench.log).toHaveLength(2));
    expect(bench.log[1]).toBe('info Camera "eye" gives pictures again.');
    expect(await pictureOf()).toEqual(readFileSync(at('blue.jpg')));
  });

  it('waits longer from failure to failure, and says the same once', async () => {
    installFfmpeg('exit 3');
    await webcam();
    expect(await reason()).toMatchObject({ message: 'Camera "eye": no more pictures come: ffmpeg ended with code 3.' });
    const startedAt = async (count: number): Promise<number> => {
      await passUntil(() => lines('pids').length === count, 50);
      return bench.clock.monotonic();
    };
    const times = [bench.clock.monotonic(), await startedAt(2), await startedAt(3)];
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(400);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(800);
    expect(bench.log).toHaveLength(1);
  });

  it('kills an ffmpeg that hangs before its first picture, and starts another one', async () => {
    installFfmpeg(hang);
    await webcam({ frame_rate: 1 });
    const waiting = reason();
    await vi.waitFor(() => expect(lines('pids')).toHaveLength(1));
    installFfmpeg(`${give('red.jpg')}; ${hang}`);
    bench.clock.advance(FIRST_PICTURE_MS + 500);
    expect(await waiting).toMatchObject({
      code: 'hardware.failed',
      message: expect.stringContaining('for 20 s') as string,
    });
    await vi.waitFor(() => expect(isGone(lines('pids')[0]!)).toBe(true));
    await vi.waitFor(async () => {
      bench.clock.advance(250);
      expect(await pictureOf()).toEqual(readFileSync(at('red.jpg')));
    });
  });

  it('kills one that freezes between pictures, and one that hangs while it lists formats', async () => {
    installFfmpeg(`${give('red.jpg')}; ${hang}`);
    await webcam();
    await pictureOf();
    bench.clock.advance(1_000);
    const waiting = reason();
    bench.clock.advance(FROZEN_MS);
    expect(await waiting).toMatchObject({
      code: 'hardware.failed',
      message: expect.stringContaining('for 5 s') as string,
    });
    await vi.waitFor(() => expect(isGone(lines('pids')[0]!)).toBe(true));
    await camera.close();

    await webcam();
    installFfmpeg('', `echo $$ > ${at('lister')}; ${hang}`);
    const listing = reason();
    await vi.waitFor(() => expect(lines('lister')).toHaveLength(1));
    bench.clock.advance(FIRST_PICTURE_MS + 500);
    expect(await listing).toMatchObject({ code: 'hardware.failed' });
    await vi.waitFor(() => expect(isGone(lines('lister')[0]!)).toBe(true));
  });

  it('leaves out what is no whole picture, and names what is none at all', async () => {
    writeFileSync(at('half.jpg'), readFileSync(at('red.jpg')).subarray(0, 100));
    installFfmpeg(`${give('half.jpg')}; ${give('red.jpg')}; ${hang}`);
    await webcam();
    expect(await pictureOf()).toEqual(readFileSync(at('red.jpg')));
    await camera.close();

    installFfmpeg('head -c 5000 /dev/zero');
    await webcam();
    expect(await reason()).toMatchObject({
      code: 'hardware.failed',
      message: expect.stringContaining('not in the format mpjpeg') as string,
    });
  });

  it.each([
    [{ video_path: 'video987' }, 'hardware.missing', 'there is no device /dev/video987. This computer has'],
    [{ video_path: '/etc/hostname' }, 'hardware.invalid', '/etc/hostname is no device'],
    [
      { width_px: 800 },
      'hardware.invalid',
      '"width_px" 800 with "height_px" any; it offers 640 × 480, 1280 × 720 (MJPEG)',
    ],
    [{ format: 'NV12' }, 'hardware.invalid', 'does not offer "format" NV12; it offers MJPEG, YUY2'],
  ])('names what is wrong with %j', async (attributes, code, message) => {
    installFfmpeg(hang);
    await webcam(attributes);
    expect(await reason()).toMatchObject({ code, message: expect.stringContaining(message) as string });
    expect(lines('pids')).toEqual([]);
  });

  it('names a device that is in use, and one that gives no pictures', async () => {
    installFfmpeg('', "echo '/dev/null: Device or resource busy' >&2; exit 1");
    await webcam();
    expect(await reason()).toMatchObject({
      code: 'hardware.busy',
      message: expect.stringContaining('its device is used by another program') as string,
    });
    await camera.close();
    // Some drivers report it only when pictures are requested.
    installFfmpeg("echo '/dev/null: Device or resource busy' >&2; exit 1");
    await webcam();
    expect(await reason()).toMatchObject({ code: 'hardware.busy' });
    await camera.close();
    installFfmpeg('', "echo '/dev/null: Inappropriate ioctl for device' >&2; exit 1");
    await webcam();
    expect(await reason()).toMatchObject({
      code: 'hardware.invalid',
      message: expect.stringContaining('Inappropriate ioctl') as string,
    });
  });

  it('says how to get an ffmpeg', async () => {
    vi.stubEnv('PATH', at('nowhere'));
    await webcam();
    expect(await reason()).toMatchObject({
      code: 'hardware.unavailable',
      message: expect.stringContaining('Install it, on Debian by "sudo apt install ffmpeg"') as string,
    });
  });

  it('is refused where the environment is untrusted', async () => {
    await webcam();
    bench.isEnvironmentUntrusted = true;
    await expect(bench.build('core:component:camera', 'webcam', 'eye', {})).rejects.toMatchObject({
      code: 'access.denied',
      message: expect.stringContaining('-untrusted-env') as string,
    });
  });
});

it('tells its lens and its rate where they are configured', async () => {
  await webcam();
  expect(await camera.properties()).toEqual({ isPointCloudSupported: false, mimeTypes: ['image/jpeg'] });
  await webcam({
    frame_rate: 15,
    intrinsic_parameters: { width_px: 640, height_px: 480, fx: 500, fy: 501, ppx: 320, ppy: 240 },
    distortion_parameters: { rk1: 0.1, tp2: 0.2 },
  });
  expect(await camera.properties()).toMatchObject({
    frameRate: 15,
    intrinsics: { widthPx: 640, heightPx: 480, focalXPx: 500, focalYPx: 501, centerXPx: 320, centerYPx: 240 },
    distortion: { model: 'brown_conrady', parameters: [0.1, 0, 0, 0, 0.2] },
  });
});
