/**
 * Opens and ends everything many times, in this thread and in workers that are terminated at work; prints the number of
 * files and threads before and after. Then opens and closes handles of one hardware object, and prints the memory.
 *   node --expose-gc life.mjs <rounds> <rounds of handles>
 */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { setImmediate } from 'node:timers';
import { Worker } from 'node:worker_threads';
import { openHardware } from '../index.js';
import { openBusy } from './busy.mjs';

const [rounds, handleRounds] = process.argv.slice(2).map(Number);
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

async function roundOfHandles(hardware) {
  const chip = '/dev/gpiochip0';
  const line = hardware.openLine({ chip, offset: 3 });
  line.pwm(0.5, 500);
  const pwm = hardware.openPwm({ chip: '/sys/class/pwm/pwmchip0', channel: 0 });
  pwm.set(0.5, 1000);
  const watch = hardware.watchEdges({ chip, lines: [{ offset: 4, edges: 'both' }], capacity: 1024 }, () => {});
  hardware.sim.pull(chip, 4, true);
  const spi = hardware.openSpi({ device: '/dev/spidev0.1' });
  const i2c = hardware.openI2c('/dev/i2c-1');
  const adc = hardware.openAdc({
    chip: 'mcp3008',
    device: '/dev/spidev0.0',
    channels: [{ channel: 0, samplesPerSecond: 10 }],
  });
  await spi.transfer([{ send: new Uint8Array(64) }]);
  await i2c.transfer(0x48, Uint8Array.of(1), 2);
  for (const handle of [line, pwm, watch, spi, i2c, adc]) handle.close();
}

/**
 * The counts once everything has ended. A joined thread may still be listed for a moment, so this waits while the
 * counts fall, until they stay the same for as long as a round took.
 */
async function settled(roundMs) {
  let least = count();
  let end = performance.now() + roundMs;
  while (performance.now() < end) {
    await new Promise(setImmediate);
    const now = count();
    if (now.files >= least.files && now.threads >= least.threads) continue;
    least = { files: Math.min(now.files, least.files), threads: Math.min(now.threads, least.threads) };
    end = performance.now() + roundMs;
  }
  return least;
}

/** Memory of the process that is not V8's heap, in bytes. */
async function memoryAfter(hardware, times) {
  for (let i = 0; i < times; i += 1) await roundOfHandles(hardware);
  globalThis.gc();
  const { rss, heapTotal } = process.memoryUsage();
  return rss - heapTotal;
}

// The first round starts what Node itself keeps.
const began = performance.now();
await round();
const roundMs = performance.now() - began;
const before = await settled(roundMs);
for (let i = 0; i < rounds; i += 1) await round();
const after = await settled(roundMs);
const hardware = openHardware({ backend: 'sim' });
before.memory = await memoryAfter(hardware, handleRounds);
after.memory = await memoryAfter(hardware, handleRounds);
hardware.close();
process.stdout.write(`${JSON.stringify({ before, after })}\n`);
openBusy();
