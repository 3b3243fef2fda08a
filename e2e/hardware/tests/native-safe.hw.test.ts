import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { chipPath, level, lines, pwmRegisters, until } from '../bench.ts';

/**
 * A program that drives EXP1 high, EXP2 (safe: high) low, EXP3 by software PWM and channel 9 of the PWM chip, and then
 * does what is tested.
 * @param expiryMs long where the guardian is tested, not the expiry
 */
function owner(expiryMs: number, afterwards: string): ChildProcess {
  const text = `
    import { openHardware, guardianPath } from ${JSON.stringify(path.join(import.meta.dirname, '../../../native/index.js'))};
    const hardware = openHardware({ backend: 'linux', guardian: guardianPath() });
    const chip = ${JSON.stringify(chipPath('expansion'))};
    const lines = [1, 2, 3].map((offset) => hardware.openLine({ chip, offset, safe: offset === 2, expiryMs: ${expiryMs} }));
    lines[0].write(true);
    lines[1].write(false);
    lines[2].pwm(0.5, 50);
    const pwm = hardware.openPwm({ chip: hardware.pwmChips()[0].path, channel: 9, expiryMs: ${expiryMs} });
    pwm.set(0.5, 200);
    setInterval(() => {}, 1000);
    process.stdout.write('driving', () => { ${afterwards} });
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function isSafe(): Promise<boolean> {
  const levels = level('expansion', 1) || !level('expansion', 2) || level('expansion', 3);
  return !levels && (await pwmRegisters(9)).dutyCycle === 0;
}

async function driving(child: ChildProcess): Promise<void> {
  const isDriving = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit').then(() => undefined)]);
  assert.ok(isDriving !== undefined, 'the program that drives ended early: see above');
}

test('a program that is killed leaves every output safe and free', async () => {
  const child = owner(60_000, '');
  await driving(child);
  assert.equal(level('expansion', 1), true);
  assert.equal(level('expansion', 2), false);
  assert.ok((await pwmRegisters(9)).dutyCycle > 0.4);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until('every output is safe', isSafe);
  await until('every line is free', async () => (await lines('expansion')).every(({ isUsed }) => !isUsed));
  // It stays safe.
  assert.equal(await isSafe(), true);
});

test('a program whose event loop is stuck has its outputs made safe while it lives', async () => {
  const child = owner(500, 'for (;;) {}');
  await driving(child);
  await until('every output is safe', isSafe);
  assert.equal(child.exitCode, null);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until('every line is free', async () => (await lines('expansion')).every(({ isUsed }) => !isUsed));
});

test('a program that is stopped as a whole has its outputs made safe, and counts them as expired when it goes on', async () => {
  const say = 'setInterval(() => { if (hardware.stats().expiries >= 4) process.stdout.write("expired"); }, 20);';
  const child = owner(3_000, say);
  await driving(child);
  assert.equal(await isSafe(), false);
  child.kill('SIGSTOP');
  await until('every output is safe', isSafe);
  const said = once(child.stdout!, 'data');
  child.kill('SIGCONT');
  assert.equal(String((await said)[0]), 'expired');
  assert.equal(await isSafe(), true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until('every line is free', async () => (await lines('expansion')).every(({ isUsed }) => !isUsed));
});
