/**
 * The other peer of the PWM bench: one Node timer per edge, each set for the time left until the edge, so that it does
 * not drift.
 *   node node-pwm.mjs <Hz> <channels> <ms>
 */
import process from 'node:process';
import { setTimeout } from 'node:timers';

const [hz, channels, runMs] = process.argv.slice(2).map(Number);
const room = Math.ceil((hz * runMs * 2.5) / 1000 + 64) * channels;
const edges = new BigUint64Array(2 * room);
let count = 0;
const periodMs = 1000 / hz;

function drive(channel, isHigh) {
  if (count === room) return;
  edges[2 * count] = process.hrtime.bigint();
  edges[2 * count + 1] = BigInt(channel) | (isHigh ? 1n << 32n : 0n);
  count += 1;
}

function start(channel, duty, beganMs) {
  let cycle = 0;
  const rise = () => {
    drive(channel, true);
    setTimeout(fall, Math.max(0, beganMs + (cycle + duty) * periodMs - performance.now()));
  };
  const fall = () => {
    drive(channel, false);
    cycle += 1;
    if (performance.now() >= beganMs + runMs) return;
    setTimeout(rise, Math.max(0, beganMs + cycle * periodMs - performance.now()));
  };
  rise();
}

const cpuBefore = process.cpuUsage();
const beganMs = performance.now();
for (let channel = 0; channel < channels; channel += 1) {
  start(channel, channels === 1 ? 0.5 : 0.1 * (channel + 1), beganMs);
}
process.on('beforeExit', () => {
  if (count < 0) return;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuShare = (user + system) / 1000 / (performance.now() - beganMs);
  process.stderr.write(`${JSON.stringify({ cpuShare, isRealTime: false })}\n`);
  process.stdout.write(new Uint8Array(edges.buffer, 0, 16 * count));
  count = -1;
});
