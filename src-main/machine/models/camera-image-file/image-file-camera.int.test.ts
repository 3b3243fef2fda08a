import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_PICTURE_BYTES } from '../picture-size.ts';
import { TestBench } from '../bench.fixture.ts';
import type { Camera } from '../../../apis/camera.ts';

let folder: string;
let bench: TestBench;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'file-camera-'));
  bench = new TestBench();
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});
const at = (name: string): string => path.join(folder, name);

/** Starts and ends like a JPEG: the camera does not check the rest. */
const jpegOf = (words: string): Buffer =>
  Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from(words), Buffer.from('ffd9', 'hex')]);
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('pixels IEND')]);

const cameraOf = (attributes: object): Promise<Camera> =>
  bench.build<Camera>('core:component:camera', 'image_file', 'eye', attributes);

/** The picture that the camera shows after one frame interval. */
async function nextOf(camera: Camera): Promise<Buffer> {
  bench.clock.advance(200);
  return Buffer.from((await camera.images([])).images[0]!.bytes);
}

describe('camera of a picture', () => {
  it('sends the bytes of the file as they are, by what they are and not by its name', async () => {
    writeFileSync(at('a.png'), jpegOf('one'));
    const camera = await cameraOf({ color_image_file_path: at('a.png') });
    const { images, capturedAt } = await camera.images([]);
    expect(images).toEqual([{ sourceName: 'color', mimeType: 'image/jpeg', bytes: jpegOf('one') }]);
    expect(capturedAt).toEqual(new Date(bench.clock.now()));
    writeFileSync(at('a.png'), png);
    bench.clock.advance(200);
    expect((await camera.images([])).images).toMatchObject([{ mimeType: 'image/png', bytes: png }]);
  });

  it('is built before its file is there, and never shows the last one for one that is gone', async () => {
    const camera = await cameraOf({ color_image_file_path: at('a.jpg') });
    const missing = {
      code: 'file.unreadable',
      message: `Camera "eye": ${at('a.jpg')} cannot be read: there is no such file.`,
    };
    await expect(camera.images([])).rejects.toMatchObject(missing);
    writeFileSync(at('a.jpg'), jpegOf('one'));
    expect(await nextOf(camera)).toEqual(jpegOf('one'));
    rmSync(at('a.jpg'));
    bench.clock.advance(200);
    await expect(camera.images([])).rejects.toMatchObject(missing);
    writeFileSync(at('a.jpg'), jpegOf('two'));
    expect(await nextOf(camera)).toEqual(jpegOf('two'));
  });

  it('names what is no whole picture', async () => {
    const camera = await cameraOf({ color_image_file_path: at('a.jpg') });
    const reasonOf = async (content: Buffer): Promise<unknown> => {
      writeFileSync(at('a.jpg'), content);
      return camera.images([]).then(
        () => 'none',
        ({ message }: Error) => message.replace(`Camera "eye": ${at('a.jpg')} cannot be read: `, ''),
      );
    };
    expect(await reasonOf(Buffer.alloc(0))).toBe('it is empty.');
    expect(await reasonOf(Buffer.from('GIF89a'))).toBe('it is no JPEG or PNG.');
    const cut = 'it ends before its picture does; it may still be being written.';
    expect(await reasonOf(jpegOf('one').subarray(0, -1))).toBe(cut);
    expect(await reasonOf(png.subarray(0, -1))).toBe(cut);
  });

  it('reads no more than fits a message, and neither waits for a pipe nor reads a folder', async () => {
    writeFileSync(at('large.jpg'), jpegOf('large'));
    truncateSync(at('large.jpg'), MAX_PICTURE_BYTES + 1);
    execFileSync('mkfifo', [at('pipe')]);
    for (const [file, reason] of [
      [at('large.jpg'), 'it has more than'],
      [at('pipe'), 'it is a pipe or a device'],
      ['/dev/zero', 'it is a pipe or a device'],
      [folder, 'it is a folder'],
    ] as const) {
      await expect((await cameraOf({ color_image_file_path: file })).images([])).rejects.toThrow(reason);
    }
  });

  it('has a second source where a picture of depth is beside it', async () => {
    writeFileSync(at('a.jpg'), jpegOf('one'));
    writeFileSync(at('depth.png'), png);
    const camera = await cameraOf({ color_image_file_path: at('a.jpg'), depth_image_file_path: at('depth.png') });
    const sourcesOf = async (wanted: readonly string[]) =>
      (await camera.images(wanted)).images.map(({ sourceName }) => sourceName);
    expect(await sourcesOf([])).toEqual(['color', 'depth']);
    expect(await sourcesOf(['depth'])).toEqual(['depth']);
    await expect(sourcesOf(['heat'])).rejects.toThrow('"eye": filter_source_names is "heat"; allowed is color, depth.');
    expect(await camera.properties()).toMatchObject({ frameRate: 5, mimeTypes: ['image/jpeg', 'image/png'] });
  });
});

describe('camera of a folder', () => {
  beforeEach(() => {
    mkdirSync(at('shots'));
    for (const name of ['part-10.jpg', 'part-2.JPG', 'part-1.jpeg']) writeFileSync(at(`shots/${name}`), jpegOf(name));
    for (const name of ['notes.txt', '.part-0.jpg']) writeFileSync(at(`shots/${name}`), 'no picture');
  });

  it('shows its pictures by name and number, each for its time, over and over', async () => {
    const camera = await cameraOf({ folder_path: at('shots') });
    const shown = [await nextOf(camera), await nextOf(camera)];
    bench.clock.advance(199);
    const again = await camera.images([]);
    expect(again.images[0]!.bytes).toEqual(shown[1]);
    expect(again.capturedAt).toEqual(new Date(bench.clock.now() - 199));
    bench.clock.advance(1);
    shown.push(await nextOf(camera), await nextOf(camera));
    expect(shown).toEqual(['part-1.jpeg', 'part-2.JPG', 'part-10.jpg', 'part-1.jpeg'].map(jpegOf));
  });

  it('leaves out none while nobody asks, and sees new ones in the next round', async () => {
    const camera = await cameraOf({ folder_path: at('shots') });
    await nextOf(camera);
    bench.clock.advance(3_600_000);
    expect(await nextOf(camera)).toEqual(jpegOf('part-2.JPG'));
    writeFileSync(at('shots/part-0.jpg'), jpegOf('new'));
    await nextOf(camera);
    expect(await nextOf(camera)).toEqual(jpegOf('new'));
  });

  it('says that it has shown all of them where it is not to begin again', async () => {
    const camera = await cameraOf({ folder_path: at('shots'), loop: false });
    for (let count = 0; count < 3; count++) await nextOf(camera);
    for (let count = 0; count < 2; count++) {
      await expect(nextOf(camera)).rejects.toMatchObject({
        code: 'call.failed_precondition',
        message: 'Camera "eye": all of its pictures were shown. Set "loop" to true to show them again.',
      });
    }
  });

  it('names a picture that is gone and goes on with the next one', async () => {
    const camera = await cameraOf({ folder_path: at('shots') });
    await nextOf(camera);
    rmSync(at('shots/part-2.JPG'));
    await expect(nextOf(camera)).rejects.toThrow(`${at('shots/part-2.JPG')} cannot be read: there is no such file.`);
    expect(await nextOf(camera)).toEqual(jpegOf('part-10.jpg'));
  });

  it('says why there are none', async () => {
    mkdirSync(at('empty'));
    for (const [place, reason] of [
      ['empty', 'there is no .jpg, .jpeg or .png in it'],
      ['nowhere', 'there is no such folder'],
      ['shots/notes.txt', 'it is no folder'],
    ] as const) {
      const camera = await cameraOf({ folder_path: at(place) });
      await expect(camera.images([])).rejects.toThrow(`Camera "eye": ${at(place)} cannot be read: ${reason}.`);
    }
  });
});

describe('camera of a video', () => {
  const pidFile = (): string => at('pid');

  /** Replaces ffmpeg by a script. */
  function installFfmpeg(script: string): void {
    mkdirSync(at('bin'), { recursive: true });
    writeFileSync(at('bin/ffmpeg'), `#!/bin/sh\n${script}\n`);
    chmodSync(at('bin/ffmpeg'), 0o755);
    vi.stubEnv('PATH', `${at('bin')}:${process.env['PATH']}`);
  }

  it('shows its pictures one after the other', async () => {
    writeFileSync(at('belt.mp4'), '');
    const part = (words: string): string =>
      `Content-type: image/jpeg\\r\\nContent-length: ${words.length}\\r\\n\\r\\n${words}`;
    installFfmpeg(`printf -- '--ffmpeg\\r\\n${part('one')}\\r\\n--ffmpeg\\r\\n${part('three')}\\r\\n--ffmpeg\\r\\n'`);
    const camera = await cameraOf({ video_path: at('belt.mp4') });
    const shown = [await nextOf(camera), await nextOf(camera), await nextOf(camera)];
    expect(shown.map(String)).toEqual(['one', 'three', 'one']);
  });

  it('is refused where the environment is untrusted, and a camera of pictures is not', async () => {
    bench.isEnvironmentUntrusted = true;
    await expect(cameraOf({ video_path: at('belt.mp4') })).rejects.toMatchObject({
      code: 'access.denied',
      message: expect.stringMatching(/^"eye": "video_path" is read by ffmpeg, .* -untrusted-env/) as string,
    });
    writeFileSync(at('a.jpg'), jpegOf('one'));
    expect(await nextOf(await cameraOf({ color_image_file_path: at('a.jpg') }))).toEqual(jpegOf('one'));
  });

  it('gives up on an ffmpeg that gives nothing, and ends it', async () => {
    writeFileSync(at('belt.mp4'), '');
    installFfmpeg(`echo $$ > ${pidFile()}; exec tail -f /dev/null`);
    const camera = await cameraOf({ video_path: at('belt.mp4') });
    const waiting = camera.images([]);
    waiting.catch(() => undefined);
    await vi.waitFor(() => expect(existsSync(pidFile()) && readFileSync(pidFile(), 'utf8')).toContain('\n'));
    bench.clock.advance(10_000);
    await expect(waiting).rejects.toMatchObject({
      code: 'resource.timeout',
      message: 'Camera "eye": no picture came within 10 s.',
    });
    const pid = Number(readFileSync(pidFile(), 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});
