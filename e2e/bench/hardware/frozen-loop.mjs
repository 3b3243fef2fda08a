/**
 * Drives a line of the simulator and then blocks the event loop, several times. Prints how long the line stayed driven
 * each time, in ms.
 *   node frozen-loop.mjs <expiry ms> <times>
 */
import process from 'node:process';
import { openHardware } from '../../../native/index.js';

const [expiryMs, times] = process.argv.slice(2).map(Number);
const chip = '/dev/gpiochip0';
const hardware = openHardware({ backend: 'sim' });
const line = hardware.openLine({ chip, offset: 1, expiryMs });
const never = new Int32Array(new SharedArrayBuffer(4));
const drivenMs = [];
for (let i = 0; i < times; i += 1) {
  line.write(true);
  const beganMs = performance.now();
  hardware.sim.probe(chip, 1);
  Atomics.wait(never, 0, 0, expiryMs + 200);
  const { dutyCycle, isHigh } = hardware.sim.probe(chip, 1);
  drivenMs.push(isHigh ? Infinity : dutyCycle * (performance.now() - beganMs));
}
hardware.close();
process.stdout.write(JSON.stringify(drivenMs));
