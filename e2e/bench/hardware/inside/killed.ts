/**
 * Runs in the virtual bench: kills a program that drives a line through the addon, and then gpiod's `gpioset`. Prints
 * how long the line stayed high each time, in ms; null where it was still high after a second.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chipPath, level, pull, until } from '../../../hardware/bench.ts';

const OFFSET = 12;
const chip = chipPath('bench');
const addon = path.join(import.meta.dirname, '../../../../native/index.js');
const program = `
  import { guardianPath, openHardware } from ${JSON.stringify(addon)};
  const hardware = openHardware({ backend: 'linux', guardian: guardianPath() });
  hardware.openLine({ chip: ${JSON.stringify(chip)}, offset: ${OFFSET}, expiryMs: 60_000 }).write(true);
  setInterval(() => {}, 1000);
`;

async function highAfterKill(child: ChildProcess): Promise<number | null> {
  const exit = once(child, 'exit');
  await until('the line is driven', () => level('bench', OFFSET));
  const beganMs = performance.now();
  child.kill('SIGKILL');
  let highMs: number | null = null;
  while (highMs === null && performance.now() < beganMs + 1_000) {
    if (!level('bench', OFFSET)) highMs = performance.now() - beganMs;
    await delay(1);
  }
  await exit;
  return highMs;
}

const options = { stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[] };
const ours = await highAfterKill(spawn(process.execPath, ['--input-type=module', '-e', program], options));
pull('bench', OFFSET, false);
const gpioset = await highAfterKill(
  spawn('gpioset', ['--mode=wait', chip, `${OFFSET}=1`], { ...options, stdio: ['pipe', 'ignore', 'inherit'] }),
);
process.stdout.write(`${JSON.stringify({ ours, gpioset })}\n`);
