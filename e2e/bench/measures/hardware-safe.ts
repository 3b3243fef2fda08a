import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { lostClients, WINDOW_MS } from '../hardware/lost-client.ts';
import { onAllProcessors } from '../hardware/on-all-processors.ts';
import { inVirtualBench, requireGpiod } from '../hardware/virtual.ts';
import type { BenchContext, Measure, Outcome, Row } from '../measure.ts';
import { rowOf } from '../statistics.ts';

const EXPIRY_MS = 500;
/** How long the guardian waits beyond the expiry (`native/src/linux/guardian_message.h`). */
const SILENCE_MS = 250;
const KILLED_LIMIT_MS = 100;
const GIVE_UP_MS = 10_000;

const programs = path.join(import.meta.dirname, '../hardware');

/** A folder with a pwmchip of one channel, laid out as in sysfs. */
function pwmRoot(folder: string): { root: string; channel: string } {
  const root = mkdtempSync(path.join(folder, 'sysfs-'));
  const channel = path.join(root, 'sys/class/pwm/pwmchip0/pwm0');
  mkdirSync(channel, { recursive: true });
  writeFileSync(path.join(channel, '../npwm'), '1\n');
  for (const name of ['period', 'duty_cycle', 'enable']) writeFileSync(path.join(channel, name), '0\n');
  return { root, channel };
}

/** @returns ms from the signal until the channel that the program drives is off */
async function untilOff(folder: string, signal: 'SIGKILL' | 'SIGSTOP'): Promise<number> {
  const { root, channel } = pwmRoot(folder);
  const [file, args] = onAllProcessors([process.execPath, path.join(programs, 'owner.mjs'), root, String(EXPIRY_MS)]);
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  try {
    await once(child.stdout, 'data');
    const beganMs = performance.now();
    child.kill(signal);
    // An overwritten file keeps the end of a longer number.
    while (Number.parseInt(readFileSync(path.join(channel, 'duty_cycle'), 'utf8'), 10) !== 0) {
      if (performance.now() > beganMs + GIVE_UP_MS) throw new Error(`the output was still on after ${signal}`);
      await delay(0);
    }
    return performance.now() - beganMs;
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

async function frozenLoop(rounds: number): Promise<number[]> {
  const command = [process.execPath, path.join(programs, 'frozen-loop.mjs'), String(EXPIRY_MS), String(rounds)];
  const { stdout } = await promisify(execFile)(...onAllProcessors(command));
  return JSON.parse(stdout) as number[];
}

/** The peer's figure in these rows is the limit. */
function limitRow(name: string, what: string, limitMs: number, ours: readonly number[], details: Row['details']): Row {
  return rowOf(
    { name, what, unit: 'ms', target: { kind: 'at most', value: limitMs, of: 'ours' } },
    { ours, peer: ours.map(() => limitMs) },
    { longest: Math.max(...ours), ...details },
  );
}

async function killedRow(context: BenchContext): Promise<Row> {
  requireGpiod();
  const figures = await inVirtualBench<{ ours: number; gpioset: number | null }>(context, 'killed.ts');
  const ofGpioset = figures.gpioset === null ? 'still on a second later' : `off after ${figures.gpioset.toFixed(0)} ms`;
  const what = 'virtual bench: SIGKILL until its GPIO line is low / the limit; emulated, so ten times as slow';
  return limitRow('killed server, GPIO', what, KILLED_LIMIT_MS, [figures.ours], { "gpiod's gpioset": ofGpioset });
}

/** How long outputs stay driven when their program can no longer drive them. */
export const hardwareSafe: Measure = {
  name: 'hardware-safe',
  isDefault: true,
  async run(context: BenchContext): Promise<Outcome[]> {
    const killed: number[] = [];
    const stopped: number[] = [];
    for (let round = 0; round < context.rounds; round++) {
      killed.push(await untilOff(context.scratchFolder, 'SIGKILL'));
      stopped.push(await untilOff(context.scratchFolder, 'SIGSTOP'));
    }
    const frozen = await frozenLoop(context.rounds);
    const clients = await lostClients(context.rounds);
    context.note('hardware-safe: in the virtual bench');
    const ofClient = 'simulator, the whole server: its motor is driven / the window of its session and 5 ms';
    return [
      limitRow('killed client', ofClient, WINDOW_MS + 5, clients.killed, {}),
      limitRow('frozen client', ofClient, WINDOW_MS + 5, clients.frozen, {}),
      limitRow('frozen event loop', 'simulator: its line is driven / its expiry and 5 ms', EXPIRY_MS + 5, frozen, {}),
      limitRow(
        'killed server',
        'files as in sysfs: SIGKILL until its PWM is off / the limit',
        KILLED_LIMIT_MS,
        killed,
        {},
      ),
      limitRow(
        'stopped server',
        'files as in sysfs: SIGSTOP until its PWM is off / expiry, silence and 10 ms',
        EXPIRY_MS + SILENCE_MS + 10,
        stopped,
        {},
      ),
      await killedRow(context),
    ];
  },
};
