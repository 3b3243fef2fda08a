/** The backend of this computer, as far as it goes without wires: a folder stands in for sysfs. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { guardianPath, missingReason, openHardware } from '../index.js';
import { codeOf } from './code-of.ts';

describe.skipIf(missingReason() !== undefined)('the backend linux', () => {
  let root: string;
  let channel: string;
  let child: ChildProcess | undefined;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'armature-native-'));
    channel = path.join(root, 'sys/class/pwm/pwmchip0/pwm0');
    mkdirSync(channel, { recursive: true });
    mkdirSync(path.join(root, 'dev'));
    writeFileSync(path.join(channel, '../npwm'), '2\n');
    writeFileSync(path.join(channel, '../export'), '');
    for (const name of ['period', 'duty_cycle', 'enable']) writeFileSync(path.join(channel, name), '0\n');
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });

  /** A real file keeps the tail of a longer number that was written before; sysfs does not. */
  const valueOf = (name: string) => Number.parseInt(readFileSync(path.join(channel, name), 'utf8'), 10);

  async function waitForSafe(): Promise<void> {
    if (valueOf('enable') === 0) return;
    await new Promise<void>((resolve) => {
      const watcher = watch(channel, () => {
        if (valueOf('enable') !== 0) return;
        watcher.close();
        resolve();
      });
      // It may have happened before the watcher was there.
      if (valueOf('enable') === 0) {
        watcher.close();
        resolve();
      }
    });
  }

  async function start(how: string, ...more: string[]): Promise<ChildProcess> {
    const victim = path.join(import.meta.dirname, 'victim.mjs');
    child = spawn(process.execPath, [victim, root, how, ...more], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    expect(JSON.parse(line.toString())).toEqual({ dutyCycle: 0.5, frequencyHz: 1000 });
    return child;
  }

  test('a PWM channel is driven through its files and off when it is closed', () => {
    const hardware = openHardware({ backend: 'linux', root });
    const { path: chip, channels } = hardware.pwmChips()[0]!;
    expect(channels).toBe(2);
    const pwm = hardware.openPwm({ chip, channel: 0 });
    pwm.set(0.25, 1000);
    expect(['period', 'duty_cycle', 'enable'].map(valueOf)).toEqual([1_000_000, 250_000, 1]);
    pwm.set(0.75, 1000);
    expect(pwm.read()).toEqual({ dutyCycle: 0.75, frequencyHz: 1000 });
    pwm.close();
    expect(['duty_cycle', 'enable'].map(valueOf)).toEqual([0, 0]);
    hardware.close();
  });

  test('what is missing is said with the next step', () => {
    const hardware = openHardware({ backend: 'linux', root });
    expect(hardware.gpioChips()).toEqual([]);
    expect(hardware.spiDevices()).toEqual([]);
    expect(codeOf(() => hardware.openLine({ chip: '/dev/gpiochip77', offset: 0 }))).toBe('hardware.missing');
    expect(codeOf(() => hardware.openLine({ chip: '/dev/null', offset: 0 }))).toBe('hardware.unsupported');
    expect(codeOf(() => hardware.openSpi({ device: '/dev/spidev77.0' }))).toBe('hardware.missing');
    expect(codeOf(() => hardware.openI2c('/dev/null'))).toBe('hardware.unsupported');
    expect(codeOf(() => hardware.openPwm({ chip: path.join(root, 'pwmchip9'), channel: 0 }))).toBe('hardware.missing');
    expect(codeOf(() => hardware.openPwm({ chip: path.dirname(channel), channel: 2 }))).toBe('hardware.invalid');
    expect(() => hardware.openLine({ chip: '/dev/gpiochip77', offset: 0 })).toThrow(/check that it is attached/);
    hardware.close();
  });

  test('a guardian that cannot be started is an error, not a silence', () => {
    expect(codeOf(() => openHardware({ backend: 'linux', root, guardian: '/nowhere' }))).toBe('hardware.missing');
  });

  test.each(['exit', 'throw', 'worker'])('a program that ends by %s leaves its output off', async (how) => {
    const victim = await start(how);
    if (victim.exitCode === null) await once(victim, 'exit');
    expect(['duty_cycle', 'enable'].map(valueOf)).toEqual([0, 0]);
  });

  test('a frozen program has its output off', async () => {
    await start('freeze');
    await waitForSafe();
    expect(valueOf('duty_cycle')).toBe(0);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('the guardian has it off after %s', async (signal) => {
    const victim = await start('kill', guardianPath());
    victim.kill(signal);
    await waitForSafe();
    expect(valueOf('duty_cycle')).toBe(0);
  });

  const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();

  test('a guardian that was killed is there again', async () => {
    const victim = await start('kill', guardianPath());
    const guardian = childrenOf(victim.pid!);
    process.kill(Number(guardian), 'SIGKILL');
    await vi.waitUntil(() => !['', guardian].includes(childrenOf(victim.pid!)), { timeout: 10_000 });
    // It holds what the first one held.
    victim.kill('SIGKILL');
    await waitForSafe();
    expect(valueOf('duty_cycle')).toBe(0);
  });

  test('without a guardian that can be started again nothing stays driven', async () => {
    const program = path.join(root, 'guardian');
    copyFileSync(guardianPath(), program);
    const victim = await start('kill', program);
    rmSync(program);
    process.kill(Number(childrenOf(victim.pid!)), 'SIGKILL');
    await waitForSafe();
    expect(victim.exitCode).toBe(null);
  });

  test('the guardian has it off while the whole program is stopped, which says so when it goes on', async () => {
    const victim = await start('stop', guardianPath());
    victim.kill('SIGSTOP');
    await waitForSafe();
    expect(valueOf('duty_cycle')).toBe(0);
    const said = once(victim.stdout!, 'data');
    victim.kill('SIGCONT');
    const [line] = (await said) as [Buffer];
    expect(JSON.parse(line.toString())).toEqual({ expiries: 1, dutyCycle: 0, frequencyHz: 1000 });
    expect(valueOf('enable')).toBe(0);
  });

  test('a program with nothing left to do ends, whatever is open', async () => {
    const victim = await start('none', guardianPath());
    if (victim.exitCode === null) await once(victim, 'exit');
    expect(victim.exitCode).toBe(0);
    expect(existsSync(channel) && valueOf('enable')).toBe(0);
  });
});
