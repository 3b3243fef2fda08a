import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from './build.ts';
import { TestBench } from '../bench.fixture.ts';
import type { Sensor } from '../../../apis/sensor.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'file-sensor-'))));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => path.join(folder, name);

const sensorOf = (file: string, attributes: object = {}): Promise<Sensor> =>
  new TestBench().build<Sensor>('core:component:sensor', 'file', 'cpu', { path: file, ...attributes });

describe('file sensor', () => {
  it('reads the file anew for each reading, and scales', async () => {
    writeFileSync(at('temp'), '42500\n');
    const sensor = await sensorOf(at('temp'), { scale: 0.001 });
    expect(await sensor.readings()).toEqual({ value: 42.5 });
    writeFileSync(at('temp'), '43000\n');
    expect(await sensor.readings()).toEqual({ value: 43 });
  });

  it('reads what the kernel tells, whose files say that they are empty', async () => {
    const sensor = await sensorOf('/proc/meminfo', { regex: '^MemTotal:\\s+(\\d+)' });
    expect((await sensor.readings())?.['value']).toBeGreaterThan(1_000);
  });

  it('is built before its file is there, and names the path while it is not', async () => {
    const sensor = await sensorOf(at('later'));
    await expect(sensor.readings()).rejects.toMatchObject({
      code: 'file.unreadable',
      message: `Sensor "cpu": ${at('later')} cannot be read: there is no such file.`,
    });
    writeFileSync(at('later'), '1');
    expect(await sensor.readings()).toEqual({ value: 1 });
  });

  it('names path, pattern and what was found where there is no number', async () => {
    writeFileSync(at('words'), 'crc=e1 NO');
    await expect((await sensorOf(at('words'), { regex: 't=(\\d+)' })).readings()).rejects.toThrow(
      `Sensor "cpu": ${at('words')}: "regex" t=(\\d+) matches nothing in "crc=e1 NO".`,
    );
  });

  it('reads files of up to 64 KiB, and neither larger nor endless ones', async () => {
    writeFileSync(at('full'), `${' '.repeat(MAX_FILE_BYTES - 1)}7`);
    expect(await (await sensorOf(at('full'))).readings()).toEqual({ value: 7 });
    writeFileSync(at('large'), `${' '.repeat(MAX_FILE_BYTES)}7`);
    await expect((await sensorOf(at('large'))).readings()).rejects.toThrow('it has more than 65536 bytes.');
    await expect((await sensorOf('/dev/zero')).readings()).rejects.toThrow('it is a pipe or a device.');
  });

  it('does not wait for a pipe that nobody writes to, nor reads a folder', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await expect((await sensorOf(at('pipe'))).readings()).rejects.toThrow('it is a pipe or a device.');
    await expect((await sensorOf(folder)).readings()).rejects.toThrow('it is a folder.');
  });

  it('says so where links lead in a circle or a file may not be read', async () => {
    symlinkSync(at('circle'), at('circle'));
    await expect((await sensorOf(at('circle'))).readings()).rejects.toThrow('its links lead in a circle.');
    writeFileSync(at('secret'), '1');
    chmodSync(at('secret'), 0);
    // Root may read everything.
    if (process.getuid?.() !== 0) {
      await expect((await sensorOf(at('secret'))).readings()).rejects.toThrow('this user may not read it.');
    }
  });
});
