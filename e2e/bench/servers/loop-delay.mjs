/**
 * Loaded into a server by `--import`: the first SIGUSR2 starts measuring the delay of its event loop; the next writes
 * the 99th percentile, in ms, to the file named by LOOP_DELAY_FILE, and stops. Uses only Node itself, so that it
 * changes little.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env.LOOP_DELAY_FILE;
if (isMainThread && file !== undefined) {
  let delay;
  process.on('SIGUSR2', () => {
    if (delay === undefined) {
      delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      return;
    }
    delay.disable();
    writeFileSync(file, String(delay.percentile(99) / 1e6));
    delay = undefined;
  });
}
