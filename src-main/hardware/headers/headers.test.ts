import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { computerIdentity, findHeader, headers } from './find-header.ts';
import type { Header } from './header.ts';

const on = (model: string, compatible: readonly string[] = []) => findHeader(undefined, { model, compatible })?.name;
const named = (name: string): Header => {
  const header = findHeader(name, { model: '', compatible: [] });
  if (header === undefined) throw new Error(`no header ${name}`);
  return header;
};

describe('header of a computer', () => {
  it('is that of what the computer says it is', () => {
    for (const model of [
      'Raspberry Pi 5 Model B Rev 1.0',
      'Raspberry Pi 4 Model B Rev 1.4',
      'Raspberry Pi 400 Rev 1.0',
      'Raspberry Pi Zero 2 W Rev 1.0',
      'Raspberry Pi Model B Plus Rev 1.2',
      'Raspberry Pi Compute Module 4 Rev 1.0',
    ]) {
      expect(on(model), model).toBe('raspberry-pi');
    }
    for (const model of [
      'Raspberry Pi Model B Rev 2',
      'Raspberry Pi Compute Module 3 Plus Rev 1.0',
      'Raspberry Pi Compute Module 4S Rev 1.0',
      'UP-CHT01',
      '',
    ]) {
      expect(on(model), model).toBeUndefined();
    }
    const orin = ['nvidia,p3768-0000+p3767-0005-super', 'nvidia,p3767-0005', 'nvidia,tegra234'];
    expect(on('NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super', orin)).toBe('jetson-orin-nano');
    expect(on('Jetson AGX Orin', ['nvidia,p3737-0000+p3701-0000', 'nvidia,tegra234'])).toBeUndefined();
  });

  it('is what the configuration says, "none" for no table', () => {
    const computer = { model: 'Raspberry Pi 5 Model B Rev 1.0', compatible: [] };
    expect(findHeader('jetson-orin-nano', computer)?.name).toBe('jetson-orin-nano');
    expect(findHeader('none', computer)).toBeUndefined();
  });
});

describe('tables of headers', () => {
  it('have each line at one pin, and the same supplies', () => {
    for (const header of headers) {
      const offsets = [...header.pins.values()].flatMap((pin) => ('offset' in pin ? [pin.offset] : []));
      expect(new Set(offsets).size).toBe(offsets.length);
      expect([...header.pins.values()].filter((pin) => 'supply' in pin)).toHaveLength(12);
      expect([...header.pins.keys()].every((pin) => Number(pin) >= 1 && Number(pin) <= 40)).toBe(true);
    }
  });

  it('have all 28 lines of a Raspberry Pi, by pin and by name', () => {
    const { pins, names } = named('raspberry-pi');
    expect(pins.size).toBe(40);
    expect(names.size).toBe(28);
    expect([pins.get('11'), names.get('GPIO17')]).toEqual([{ offset: 17 }, 17]);
    expect([pins.get('12'), pins.get('33'), pins.get('40')]).toEqual([{ offset: 18 }, { offset: 13 }, { offset: 21 }]);
    expect([pins.get('1'), pins.get('2'), pins.get('39')]).toEqual([
      { supply: '3.3 V' },
      { supply: '5 V' },
      { supply: 'ground' },
    ]);
  });
});

describe('what a computer says it is', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'armature-headers-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('comes from the device tree, else from DMI', () => {
    expect(computerIdentity(root)).toEqual({ model: '', compatible: [] });
    mkdirSync(path.join(root, 'sys/class/dmi/id'), { recursive: true });
    writeFileSync(path.join(root, 'sys/class/dmi/id/board_name'), 'UP-CHT01\n');
    expect(computerIdentity(root)).toEqual({ model: 'UP-CHT01', compatible: [] });
    mkdirSync(path.join(root, 'proc/device-tree'), { recursive: true });
    writeFileSync(path.join(root, 'proc/device-tree/model'), 'Raspberry Pi 5 Model B Rev 1.0\0');
    writeFileSync(path.join(root, 'proc/device-tree/compatible'), 'raspberrypi,5-model-b\0brcm,bcm2712\0');
    expect(computerIdentity(root)).toEqual({
      model: 'Raspberry Pi 5 Model B Rev 1.0',
      compatible: ['raspberrypi,5-model-b', 'brcm,bcm2712'],
    });
  });
});
