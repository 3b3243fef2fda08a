/** The backend of this computer as far as it can be tested without wires: a folder stands in for sysfs. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { guardianPath, missingReason, openHardware } from '../index.js';
import { codeOf } from './code-of.ts';

/** Command that runs the rest as process 1 of a new namespace; empty where that is not allowed. */
const asFirst =
  [
    ['unshare', '--pid', '--fork'],
    ['unshare', '--user', '--map-root-user', '--pid', '--fork'],
  ].find(([command = '', ...args]) => spawnSync(command, [...args, 'true']).status === 0) ?? [];

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

  /** A real file keeps the end of a longer number that was written before; sysfs does not. */
  const valueOf = (name: string) => Number.parseInt(readFileSync(path.join(channel, name), 'utf8'), 10);

  /** The guardian that any thread of the program has started, other than `before`. */
  function guardianOf(pid: number, before?: number): Promise<number> {
    const isGuardian = (child: string) => {
      const file = `/proc/${child}/comm`;
      return existsSync(file) && readFileSync(file, 'utf8').startsWith('armature-guard');
    };
    const find = () =>
      readdirSync(`/proc/${pid}/task`)
        .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
        .filter((child) => child !== '' && isGuardian(child))
        .map(Number)
        .find((child) => child !== before);
    return vi.waitUntil(find, { timeout: 10_000 });
  }

  async function waitForSafe(): Promise<void> {
    if (valueOf('enable') === 0) return;
    await new Promise<void>((resolve) => {
      const watcher = watch(channel, () => {
        if (valueOf('enable') !== 0) return;
        watcher.close();
        resolve();
      });
      // It may have happened before the watcher started.
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

  test('off writes what it can, even where one file of a channel fails', () => {
    const hardware = openHardware({ backend: 'linux', root });
    const pwm = hardware.openPwm({ chip: path.dirname(channel), channel: 0 });
    pwm.set(0.25, 1000);
    rmSync(path.join(channel, 'duty_cycle'));
    mkdirSync(path.join(channel, 'duty_cycle'));
    pwm.close();
    expect(valueOf('enable')).toBe(0);
    hardware.close();
  });

  test('a polarity that others left inverted is set right, also on a channel that they left on', () => {
    const hardware = openHardware({ backend: 'linux', root });
    writeFileSync(path.join(channel, 'period'), '1250000\n');
    writeFileSync(path.join(channel, 'enable'), '1\n');
    writeFileSync(path.join(channel, 'polarity'), 'inversed\n');
    const pwm = hardware.openPwm({ chip: path.dirname(channel), channel: 0 });
    expect(readFileSync(path.join(channel, 'polarity'), 'utf8')).toMatch(/^normal\n/);
    expect(valueOf('enable')).toBe(0);
    pwm.set(0.25, 1000);
    expect(valueOf('enable')).toBe(1);
    pwm.close();
    // The kernel accepts no polarity for a channel without a period.
    writeFileSync(path.join(channel, 'period'), '0\n');
    writeFileSync(path.join(channel, 'polarity'), 'inversed\n');
    const fresh = hardware.openPwm({ chip: path.dirname(channel), channel: 0 });
    expect(readFileSync(path.join(channel, 'polarity'), 'utf8')).toMatch(/^inversed\n/);
    fresh.set(0.25, 1000);
    expect(readFileSync(path.join(channel, 'polarity'), 'utf8')).toMatch(/^normal\n/);
    hardware.close();
  });

  test('a channel that cannot be used is given back', () => {
    const hardware = openHardware({ backend: 'linux', root });
    rmSync(path.join(channel, 'period'));
    writeFileSync(path.join(channel, '../unexport'), '');
    // The channel appears when it is exported.
    renameSync(channel, `${channel}-later`);
    const exporting = new Worker(
      `const { watch, renameSync } = require('node:fs');
       const { workerData } = require('node:worker_threads');
       const watcher = watch(workerData.chip, (_, name) => {
         if (name !== 'export') return;
         watcher.close();
         renameSync(workerData.channel + '-later', workerData.channel);
       });
       require('node:worker_threads').parentPort.postMessage('ready');`,
      { eval: true, workerData: { chip: path.dirname(channel), channel } },
    );
    return once(exporting, 'message').then(() => {
      expect(codeOf(() => hardware.openPwm({ chip: path.dirname(channel), channel: 0 }))).toBe('hardware.gone');
      expect(readFileSync(path.join(channel, '../unexport'), 'utf8')).toBe('0\n');
      hardware.close();
    });
  });

  test('what the guardian would have to undo is not written: 0 leaves a channel that is off so', () => {
    const hardware = openHardware({ backend: 'linux', root });
    const pwm = hardware.openPwm({ chip: path.dirname(channel), channel: 0 });
    pwm.set(0, 800);
    expect(['period', 'duty_cycle', 'enable'].map(valueOf)).toEqual([0, 0, 0]);
    pwm.set(0.5, 1000);
    pwm.set(0, 1000);
    expect(['period', 'duty_cycle', 'enable'].map(valueOf)).toEqual([1_000_000, 0, 1]);
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

  test('the guardian tries again what it could not make safe at once', async () => {
    const victim = await start('kill', guardianPath());
    renameSync(channel, `${channel}-away`);
    const exit = once(victim, 'exit');
    victim.kill('SIGKILL');
    await exit;
    // Time for its first attempt, which produces no event.
    await delay(100);
    renameSync(`${channel}-away`, channel);
    await waitForSafe();
    expect(valueOf('duty_cycle')).toBe(0);
  });

  test('a guardian that hangs is replaced', async () => {
    const hardware = openHardware({ backend: 'linux', root, guardian: guardianPath() });
    const { path: chip } = hardware.pwmChips()[0]!;
    const pwm = hardware.openPwm({ chip, channel: 0 });
    pwm.set(0.5, 1000);
    const guardian = await guardianOf(process.pid);
    process.kill(guardian, 'SIGSTOP');
    pwm.close();
    const again = hardware.openPwm({ chip, channel: 0 });
    again.set(0.5, 1000);
    await guardianOf(process.pid, guardian);
    hardware.close();
  });

  test('a guardian that was killed is there again', async () => {
    const victim = await start('kill', guardianPath());
    const guardian = await guardianOf(victim.pid!);
    process.kill(guardian, 'SIGKILL');
    await guardianOf(victim.pid!, guardian);
    // It holds what the first one held.
    victim.kill('SIGKILL');
    await waitForSafe();
    expect(valueOf('duty_cycle')).toBe(0);
  });

  test('without a guardian that can be started again nothing stays driven', async () => {
    const program = path.join(root, path.basename(guardianPath()));
    copyFileSync(guardianPath(), program);
    const victim = await start('kill', program);
    rmSync(program);
    process.kill(await guardianOf(victim.pid!), 'SIGKILL');
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

  test.skipIf(asFirst.length === 0)(
    'a program that is process 1, whose end takes the guardian along, drives nothing',
    () => {
      const [command = '', ...args] = asFirst;
      const victim = path.join(import.meta.dirname, 'victim.mjs');
      const run = (...more: string[]) => {
        const all = [...args, process.execPath, victim, root, 'first', ...more];
        return spawnSync(command, all, { encoding: 'utf8' });
      };
      const { stdout, stderr, status } = run(guardianPath());
      expect(`${stderr}${status}`).toBe('0');
      expect(JSON.parse(stdout)).toMatchObject({ pid: 1, code: 'hardware.unsupported', dutyCycle: 0 });
      expect((JSON.parse(stdout) as { message: string }).message).toContain('docker run --init');
      expect(['duty_cycle', 'enable'].map(valueOf)).toEqual([0, 0]);
    },
  );

  test('a program with nothing left to do ends, whatever is open', async () => {
    const victim = await start('none', guardianPath());
    if (victim.exitCode === null) await once(victim, 'exit');
    expect(victim.exitCode).toBe(0);
    expect(existsSync(channel) && valueOf('enable')).toBe(0);
  });
});
