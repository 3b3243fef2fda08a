import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listOf, videoDevices } from './video-devices.ts';

let root: string;
beforeEach(() => void (root = mkdtempSync(path.join(tmpdir(), 'video-devices-'))));
afterEach(() => rmSync(root, { recursive: true }));

/** Adds a device as the kernel lists it, and udev's record of it, if there is one. */
function plugIn(number: number, port: string, index: number, abilities?: string): void {
  const name = `video${number}`;
  const folder = path.join(root, `sys/devices/pci0000:00/usb1/${port}/video4linux/${name}`);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries({ name: `Camera ${port}`, index, dev: `81:${number}` })) {
    writeFileSync(path.join(folder, file), `${text}\n`);
  }
  mkdirSync(path.join(root, 'sys/class/video4linux'), { recursive: true });
  symlinkSync(folder, path.join(root, 'sys/class/video4linux', name));
  if (abilities === undefined) return;
  mkdirSync(path.join(root, 'run/udev/data'), { recursive: true });
  writeFileSync(
    path.join(root, `run/udev/data/c81:${number}`),
    `E:ID_V4L_VERSION=2\nE:ID_V4L_CAPABILITIES=${abilities}\n`,
  );
}

describe('the video devices of a computer', () => {
  it('are in the order of where they are attached, whatever was plugged in first', async () => {
    plugIn(3, '1-2', 1, ':');
    plugIn(2, '1-2', 0, ':capture:');
    plugIn(0, '1-10', 0, ':capture:');
    const devices = await videoDevices(root);
    expect(devices.map(({ path: file, name, isCapture }) => [file, name, isCapture])).toEqual([
      ['/dev/video2', 'Camera 1-2', true],
      ['/dev/video3', 'Camera 1-2', false],
      ['/dev/video0', 'Camera 1-10', true],
    ]);
    expect(listOf(devices)).toBe('This computer has /dev/video2 (Camera 1-2), /dev/video0 (Camera 1-10).');
  });

  it('have the same place under another number', async () => {
    plugIn(0, '1-2', 0);
    const [before] = await videoDevices(root);
    rmSync(path.join(root, 'sys'), { recursive: true });
    plugIn(7, '1-2', 0);
    const [after] = await videoDevices(root);
    expect(after).toEqual({ ...before, path: '/dev/video7' });
    expect(after?.isCapture).toBeUndefined();
  });

  it('are none where the kernel has no driver', async () => {
    expect(await videoDevices(root)).toEqual([]);
    expect(listOf([])).toBe('This computer has no camera: plug one in.');
  });
});
