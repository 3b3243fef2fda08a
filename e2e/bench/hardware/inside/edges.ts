/**
 * Runs in the virtual bench: toggles two lines in turn as fast as the kernel allows; the addon watches one of them,
 * gpiod's `gpiomon` the other. Prints what each has seen.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openHardware } from '../../../../native/index.js';
import { chipPath, lineFile, until } from '../../../hardware/bench.ts';

const EDGES = 2_000;
const [ourLine, theirLine] = [10, 11];
const chip = chipPath('bench');

const hardware = openHardware({ backend: 'linux' });
let ours = 0;
let lost = 0;
const lines = [{ offset: ourLine, edges: 'both' as const }];
const watch = hardware.watchEdges({ chip, lines }, (batch) => {
  ours += batch.levels.length;
  lost += batch.lost;
});

const gpiomon = spawn('gpiomon', ['--line-buffered', '--format=%e', chip, String(theirLine)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let theirs = 0;
gpiomon.stdout.on('data', (chunk: Buffer) => (theirs += chunk.toString().split('\n').length - 1));

const pulls = [ourLine, theirLine].map((line) => openSync(lineFile('bench', line, 'pull'), 'w'));
const pullAll = (files: readonly number[], isHigh: boolean): void => {
  for (const file of files) writeSync(file, isHigh ? 'pull-up' : 'pull-down', 0);
};
const pullBoth = (isHigh: boolean): void => pullAll(pulls, isHigh);
pullBoth(false);
// It does not announce when it starts watching.
await until('gpiomon watches', async () => {
  pullBoth(true);
  await delay(50);
  pullBoth(false);
  await delay(50);
  return theirs > 0;
});
await delay(500);
[ours, theirs, lost] = [0, 0, 0];
const { rising, falling } = watch.counts(ourLine);
const before = rising + falling;
const beganMs = performance.now();
for (let edge = 0; edge < EDGES; edge++) {
  // The kernel's simulator merges two changes in quick succession: neither line is always the first.
  pullAll(edge % 4 < 2 ? pulls : pulls.toReversed(), edge % 2 === 0);
  // As in a program that does other work too.
  if (edge % 100 === 99) await delay(0);
}
const seconds = (performance.now() - beganMs) / 1000;
await delay(1_000);
const counts = watch.counts(ourLine);
watch.close();
hardware.close();
gpiomon.kill('SIGTERM');
await once(gpiomon, 'exit');
const made = counts.rising + counts.falling - before;
process.stdout.write(`${JSON.stringify({ edges: EDGES, seconds, ours, lost, made, theirs })}\n`);
