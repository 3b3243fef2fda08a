/**
 * The whole program with the kernel's test camera: pictures through Video4Linux, a pulled cable, another program on the
 * device.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { CameraServiceDefinition, type GetImagesResponse } from '../../../proto/gen/core/component/camera/v1/camera.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { ffmpegInMemory, GIVE_UP_MS, plugInCamera, unplugCamera, until } from '../bench.ts';

const camera = (name: string, attributes: object) => ({
  name,
  api: 'core:component:camera',
  model: 'webcam',
  attributes,
});
const config = JSON.stringify({
  network: { bind_address: 'localhost:0' },
  components: [
    camera('eye', { width_px: 320, height_px: 180 }),
    camera('fine', { video_path: 'video0', format: 'UYVY' }),
    camera('odd', { video_path: '/dev/video0', width_px: 321 }),
  ],
});

let environment: Readonly<Record<string, string>>;
let server: ServerProcess;
let client: MachineClient;
before(async () => {
  await plugInCamera();
  environment = await ffmpegInMemory();
  server = await startServer({ config, environment, readyWithinMs: GIVE_UP_MS });
  client = new MachineClient(server.url, {}, { callLimitMs: GIVE_UP_MS });
});
after(async () => {
  client.close();
  await server.stop();
  unplugCamera();
});

const look = (name = 'eye'): Promise<GetImagesResponse> =>
  client.grpc.call(CameraServiceDefinition, 'getImages', { name, filterSourceNames: [] });
/** The reason why a camera gives no picture; '' where it gives one. */
const reason = (name = 'eye'): Promise<string> =>
  look(name).then(
    () => '',
    (thrown: unknown) => String(thrown),
  );

/** Width and height of a JPEG (ISO/IEC 10918-1, B.2.2). */
function sizeOf(jpeg: Uint8Array): readonly [width: number, height: number] {
  const bytes = Buffer.from(jpeg);
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at + 1] === 0xc0) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  }
  throw new Error('This is no JPEG.');
}

/** Processes that read the camera. */
function readers(): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/comm`, 'utf8') === 'ffmpeg\n';
    } catch {
      return false; // it has exited meanwhile
    }
  });
}
const noReaders = (): boolean => readers().length === 0;

test('gives pictures of the first camera in the size that is wanted, each later than the last', async () => {
  const first = await look();
  assert.equal(first.images[0]?.mimeType, 'image/jpeg');
  assert.equal(first.images[0].sourceName, 'eye');
  assert.deepEqual(sizeOf(first.images[0].image), [320, 180]);
  await until('a later picture', async () => {
    const { responseMetadata, images } = await look();
    const isLater = responseMetadata!.capturedAt!.getTime() > first.responseMetadata!.capturedAt!.getTime();
    return isLater && Buffer.compare(images[0]!.image, first.images[0]!.image) !== 0;
  });
  assert.equal(readers().length, 1);
});

test('says that another camera has the device, and has it when that let it go', async () => {
  assert.match(await reason('fine'), /Camera "fine": its device is used by another program/);
  // Nobody uses the first camera any more.
  await until('the device is had', async () => (await reason('fine')) === '');
  assert.deepEqual(sizeOf((await look('fine')).images[0]!.image), [640, 480]);
  await until('the device is let go', noReaders);
});

test('names the sizes that there are', async () => {
  assert.match(
    await reason('odd'),
    /Camera "odd": \/dev\/video0 does not offer "width_px" 321 .* it offers 320 × 180, 640 × 360, 640 × 480/,
  );
});

test('says what is missing while it is unplugged, and goes on when it is plugged in again', async () => {
  await look();
  unplugCamera();
  await until('the camera is missed', async () => /not plugged in any more/.test(await reason()));
  const missing = /there is no device \/dev\/video0\. This computer has no camera: plug one in/;
  // Its last attempt was a moment ago, and it reports that failure until the next attempt.
  await until('the named device is missed', async () => missing.test(await reason('odd')));
  await plugInCamera();
  await until('a picture', async () => (await reason()) === '');
});

test('leaves no ffmpeg behind when the server is killed', async () => {
  await look();
  assert.equal(readers().length, 1);
  await server.kill('SIGKILL');
  await until('ffmpeg is gone', noReaders);
  // Nobody holds the device any more.
  const args = ['-loglevel', 'error', '-f', 'v4l2', '-i', '/dev/video0', '-frames:v', '1', '-f', 'null', '-'];
  const other = spawn('ffmpeg', args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(other, 'exit')) as [number | null];
  assert.equal(code, 0);
});
