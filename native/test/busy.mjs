/**
 * Uses every part of the simulator at once, and ends in the way that its argument says, with everything open; in a
 * worker it continues until it is terminated.
 *   node busy.mjs exit|throw|reject|worker-exit
 */
import process from 'node:process';
import { setImmediate, setInterval, setTimeout } from 'node:timers';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { openHardware } from '../index.js';

/** @returns the hardware, with pulses, edges, samples and transfers under way */
export function openBusy() {
  const hardware = openHardware({ backend: 'sim' });
  const group = hardware.openLines([0, 1, 2].map((offset) => ({ chip: '/dev/gpiochip0', offset })));
  group.write([true, undefined, false]);
  group.lines[1].pwm(0.3, 1000);
  hardware.openPwm({ chip: '/sys/class/pwm/pwmchip0', channel: 1 }).set(0.5, 500);
  hardware.watchEdges({ chip: '/dev/gpiochip1', lines: [{ offset: 4, edges: 'both', debounceUs: 0 }] }, () => {});
  for (let i = 0; i < 500; i += 1) hardware.sim.pull('/dev/gpiochip1', 4, i % 2 === 0);
  const channels = [{ channel: 0, samplesPerSecond: 1000, averageOverMs: 20 }];
  hardware.openAdc({ chip: 'mcp3008', device: '/dev/spidev0.0', channels });
  const spi = hardware.openSpi({ device: '/dev/spidev0.1' });
  void spi.transfer([{ send: new Uint8Array(64) }]);
  void hardware.openI2c('/dev/i2c-1').transfer(0x48, Uint8Array.of(1), 2);
  return hardware;
}

function goOn(hardware) {
  setInterval(() => {
    for (let i = 0; i < 100; i += 1) hardware.sim.pull('/dev/gpiochip1', 4, i % 2 === 0);
  }, 1);
}

const ends = {
  exit: () => process.exit(7),
  throw: () => {
    throw new Error('a program that fails');
  },
  reject: () => void Promise.reject(new Error('a promise that nobody waits for')),
  'worker-exit': () => {
    const worker = new Worker(new URL(import.meta.url));
    // While the worker is busy.
    worker.on('message', () => setTimeout(() => process.exit(7), 20));
  },
};

if (!isMainThread && parentPort !== null) {
  goOn(openBusy());
  parentPort.postMessage('busy');
} else if (process.argv[1] === import.meta.filename) {
  goOn(openBusy());
  setImmediate(ends[process.argv[2]]);
}
