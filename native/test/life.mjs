/**
 * Opens and ends everything many times, in this thread and in workers that are ended in the middle of it; prints how many
 * files and threads there are before and after. `sanitize.mjs` runs it under AddressSanitizer.
 */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { openBusy } from './busy.mjs';

const rounds = Number(process.argv[2] ?? 30);
const worker = new URL('busy.mjs', import.meta.url);
const count = () => ({
  files: readdirSync('/proc/self/fd').length,
  threads: readdirSync('/proc/self/task').length,
});

async function round() {
  const hardware = openBusy();
  const workers = [new Worker(worker), new Worker(worker)];
  await Promise.all(workers.map((one) => once(one, 'message')));
  hardware.close();
  await Promise.all(workers.map((one) => one.terminate()));
}

// The first round starts what Node itself keeps.
await round();
const before = count();
for (let i = 0; i < rounds; i += 1) await round();
process.stdout.write(`${JSON.stringify({ before, after: count() })}\n`);
openBusy();
