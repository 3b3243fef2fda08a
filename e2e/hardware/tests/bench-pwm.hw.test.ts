import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { pwmRegisters } from '../bench.ts';

const chip = '/sys/class/pwm/pwmchip0';
const set = (channel: number, name: string, value: number): void =>
  writeFileSync(`${chip}/pwm${channel}/${name}`, String(value));

test('a duty cycle that is set in sysfs lands in the registers of the chip', async () => {
  assert.ok(Number(readFileSync(`${chip}/npwm`, 'utf8')) >= 16);
  writeFileSync(`${chip}/export`, '3');
  try {
    set(3, 'period', 5_000_000);
    set(3, 'duty_cycle', 1_250_000);
    set(3, 'enable', 1);
    const quarter = await pwmRegisters(3);
    assert.ok(Math.abs(quarter.dutyCycle - 0.25) <= 1 / 4096, `duty cycle ${quarter.dutyCycle}`);
    // The nearest frequency that its prescaler can make: 25 MHz / 4096 / 31.
    assert.ok(Math.abs(quarter.frequencyHz - 196.9) < 0.1, `frequency ${quarter.frequencyHz}`);

    set(3, 'duty_cycle', 5_000_000);
    assert.equal((await pwmRegisters(3)).isFullOn, true);
    set(3, 'enable', 0);
    assert.equal((await pwmRegisters(3)).dutyCycle, 0);
    assert.equal((await pwmRegisters(3)).isFullOff, true);
  } finally {
    writeFileSync(`${chip}/unexport`, '3');
  }
});
