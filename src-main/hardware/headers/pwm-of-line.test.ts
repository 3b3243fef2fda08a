import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pwmOfLine } from './pwm-of-line.ts';
import { raspberryPi } from './raspberry-pi.ts';
import type { PwmChip } from '../hardware-types.ts';

const cells = (...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, index) => bytes.writeUInt32BE(number, 4 * index));
  return bytes;
};

describe('PWM at a line of a header', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'armature-pwm-of-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function put(file: string, content: string | Buffer): void {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }

  function link(from: string, to: string): void {
    mkdirSync(path.dirname(path.join(root, from)), { recursive: true });
    symlinkSync(path.join(root, to), path.join(root, from));
  }

  /** As sysfs shows a tree: the node of a PWM chip, and pins below that of a GPIO chip. */
  function tree(compatible: string, handles: readonly number[]): PwmChip {
    rmSync(path.join(root, 'sys'), { recursive: true, force: true });
    const tree = 'sys/firmware/devicetree/base/soc';
    put(`${tree}/pwm@7e20c000/compatible`, `${compatible}\0`);
    put(`${tree}/pwm@7e20c000/pinctrl-0`, cells(...handles));
    put(`${tree}/gpio@7e200000/pwm_pins/phandle`, cells(0x51));
    put(`${tree}/gpio@7e200000/pwm_pins/brcm,pins`, cells(18, 19));
    put(`${tree}/gpio@7e200000/other/phandle`, cells(0x52));
    put(`${tree}/gpio@7e200000/other/brcm,pins`, cells(12));
    put(`${tree}/gpio@7e200000/group/phandle`, cells(0x53));
    put(`${tree}/gpio@7e200000/group/one/pins`, 'gpio12\0gpio13\0');
    link('sys/class/pwm/pwmchip0/device/of_node', `${tree}/pwm@7e20c000`);
    link('sys/bus/gpio/devices/gpiochip0/of_node', `${tree}/gpio@7e200000`);
    return { path: path.join(root, 'sys/class/pwm/pwmchip0'), channels: 4, id: '/sys/devices/pwm', name: '' };
  }

  function at(offset: number, chip: PwmChip, label = 'pinctrl-bcm2711'): number | undefined {
    const gpio = { path: '/dev/gpiochip0', name: 'gpiochip0', label, lines: 58, id: 'gpio' };
    const found = pwmOfLine(
      raspberryPi,
      gpio,
      offset,
      [{ path: '/none', channels: 2, id: 'none', name: '' }, chip],
      root,
    );
    if (found !== undefined) expect(found.chip).toBe(chip.id);
    return found?.channel;
  }

  it('is the channel that the SoC has there, where the tree gave the pin to PWM', () => {
    const chip = tree('brcm,bcm2835-pwm', [0x51]);
    expect([12, 13, 17, 18, 19].map((offset) => at(offset, chip))).toEqual([undefined, undefined, undefined, 0, 1]);
  });

  it('is another channel on another SoC, and pins may be in groups and be named', () => {
    expect(
      [12, 13, 18, 19].map((offset) => at(offset, tree('raspberrypi,rp1-pwm', [0x53, 0x51]), 'pinctrl-rp1')),
    ).toEqual([0, 1, 2, 3]);
  });

  it("is none of a chip that is not the header's, of PWM that is not known, or without pins", () => {
    expect(at(18, tree('brcm,bcm2835-pwm', [0x51]), 'cp2112')).toBeUndefined();
    expect(at(18, tree('brcm,bcm2835-pwm', []))).toBeUndefined();
    expect(at(18, tree('nxp,pca9685-pwm', [0x51]))).toBeUndefined();
  });
});
