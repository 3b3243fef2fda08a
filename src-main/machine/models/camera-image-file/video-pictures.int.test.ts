import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VideoPictures, type VideoOptions } from './video-pictures.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'video-'))));
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => path.join(folder, name);

const part = (words: string): string =>
  `Content-type: image/jpeg\\r\\nContent-length: ${words.length}\\r\\n\\r\\n${words}\\r\\n--ffmpeg\\r\\n`;
const twoPictures = `printf -- '--ffmpeg\\r\\n${part('one')}${part('three')}'`;

/** A video whose ffmpeg is a script. */
function videoOf(script: string, options: Partial<VideoOptions> = {}): VideoPictures {
  writeFileSync(at('belt.mp4'), '');
  writeFileSync(at('ffmpeg'), `#!/bin/sh\n${script}\n`);
  chmodSync(at('ffmpeg'), 0o755);
  return new VideoPictures({ path: at('belt.mp4'), frameRate: 5, loops: true, program: at('ffmpeg'), ...options });
}

const nextOf = async (video: VideoPictures): Promise<string | undefined> => (await video.next())?.bytes.toString();

describe('pictures of a video', () => {
  it('begin again at its end', async () => {
    const video = videoOf(twoPictures);
    expect([await nextOf(video), await nextOf(video), await nextOf(video)]).toEqual(['one', 'three', 'one']);
    await video.close();
  });

  it('are over at its end where they are not to begin again', async () => {
    const video = videoOf(twoPictures, { loops: false });
    expect([await nextOf(video), await nextOf(video)]).toEqual(['one', 'three']);
    expect([await nextOf(video), await nextOf(video)]).toEqual([undefined, undefined]);
  });

  it('are made of a file and nothing else, whatever its name is made of', async () => {
    const name = at('$(touch made) "a b".mp4');
    writeFileSync(name, '');
    const video = videoOf(`printf '%s\\n' "$@" > ${at('arguments')}; ${twoPictures}`, { path: name, frameRate: 12.5 });
    await video.next();
    await video.close();
    const given = readFileSync(at('arguments'), 'utf8').split('\n');
    expect(given).toEqual(expect.arrayContaining(['-protocol_whitelist', '-i', `file:${name}`, 'fps=12.5']));
    expect(existsSync(at('made'))).toBe(false);
  });

  it('fail with what ffmpeg says, and are tried again', async () => {
    const video = videoOf(`echo 'first words' >&2; echo 'moov atom not found' >&2; exit 1`);
    for (let count = 0; count < 2; count++) {
      await expect(video.next()).rejects.toMatchObject({
        code: 'file.unreadable',
        message: `${at('belt.mp4')} cannot be read: ffmpeg says "moov atom not found".`,
      });
    }
    await expect(videoOf('exit 3').next()).rejects.toThrow('ffmpeg ended with code 3');
    await expect(videoOf('exit 0').next()).rejects.toThrow('ffmpeg finds no picture in it');
    await expect(videoOf('head -c 2000 /dev/zero').next()).rejects.toThrow('not in the format mpjpeg');
  });

  it('need an ffmpeg, and say how to get one', async () => {
    const video = videoOf('', { program: at('nowhere/ffmpeg') });
    await expect(video.next()).rejects.toThrow(
      /ffmpeg, which reads videos and cameras, is not on this computer\. Install it/,
    );
  });

  it('are not waited for where the file is a pipe', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await expect(videoOf('exit 0', { path: at('pipe') }).next()).rejects.toThrow('it is no file');
  });

  it('end with ffmpeg killed, also while one is waited for', async () => {
    const video = videoOf(`echo $$ > ${at('pid')}; exec tail -f /dev/null`);
    const waiting = video.next();
    waiting.catch(() => undefined);
    await vi.waitFor(() => expect(existsSync(at('pid')) && readFileSync(at('pid'), 'utf8')).toContain('\n'));
    await video.close();
    await expect(waiting).rejects.toThrow('SIGKILL');
    expect(() => process.kill(Number(readFileSync(at('pid'), 'utf8')), 0)).toThrow('ESRCH');
  });

  const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0;
  it.skipIf(!hasFfmpeg)('are JPEGs, as many as the frame rate says, with the ffmpeg of this computer', async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc=duration=2:size=64x48:rate=10'];
    execFileSync('ffmpeg', ['-loglevel', 'error', ...source, '-c:v', 'mpeg4', at('test.mp4')]);
    const video = new VideoPictures({ path: at('test.mp4'), frameRate: 3, loops: false });
    let count = 0;
    for (let picture = await video.next(); picture !== undefined; picture = await video.next()) {
      expect(picture.bytes.toString('hex', 0, 3)).toBe('ffd8ff');
      count += 1;
    }
    expect(count).toBe(6);
    const none = new VideoPictures({ path: at('none.mp4'), frameRate: 3, loops: false });
    await expect(none.next()).rejects.toThrow(`${at('none.mp4')} cannot be read: ffmpeg says "`);
  });
});
