import { afterEach, describe, expect, it } from 'vitest';
import { ComputerHardware } from './computer-hardware.ts';
import { withHardware } from './hardware-error.ts';
import { missingReason } from '../../native/index.js';

describe.skipIf(missingReason() !== undefined)('hardware of the computer', () => {
  const hardware = new ComputerHardware('sim');
  afterEach(() => hardware.close());

  it('is opened once for everybody, and again after it was closed', async () => {
    const first = await hardware.open();
    expect(await hardware.open()).toBe(first);
    await hardware.close();
    const second = await hardware.open();
    expect(second).not.toBe(first);
    expect(second.gpioChips()).toHaveLength(2);
    expect(() => first.gpioChips()).toThrow('closed');
  });

  it('is opened again by who asks while it closes', async () => {
    const first = await hardware.open();
    const closing = hardware.close();
    const second = hardware.open();
    await closing;
    expect((await second).gpioChips()).toHaveLength(2);
    expect(() => first.gpioChips()).toThrow('closed');
  });

  it('has errors that say for whom, and what was found', async () => {
    const computer = await hardware.open();
    const open = () => withHardware('Board "b"', () => computer.openLine({ chip: '/dev/gpiochip9', offset: 0 }));
    expect(open).toThrow(/^Board "b": .*\/dev\/gpiochip9/);
    expect(open).toThrow(
      expect.objectContaining({
        code: 'hardware.missing',
        details: expect.objectContaining({ device: '/dev/gpiochip9' }) as object,
      }),
    );
  });
});
