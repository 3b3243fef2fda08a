/**
 * Drives a PWM channel of a folder that looks like sysfs, reports it, and ends in the way its argument names.
 *   node victim.mjs <root> kill|freeze|exit|throw|worker|signal|stop|none|first [guardian]
 * `stop`: continues, and reports when an output has expired. `first`: reports the result of driving, and ends.
 */
import process from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openHardware } from '../index.js';

function drive(root, guardian) {
  const hardware = openHardware({ backend: 'linux', root, guardian });
  const { path: chip } = hardware.pwmChips()[0];
  const pwm = hardware.openPwm({ chip, channel: 0, expiryMs: 300 });
  pwm.set(0.5, 1000);
  return { hardware, pwm };
}

function sayExpiry({ hardware, pwm }) {
  const look = setInterval(() => {
    const { expiries } = hardware.stats();
    if (expiries === 0) return;
    clearInterval(look);
    process.stdout.write(`${JSON.stringify({ expiries, ...pwm.read() })}\n`);
  }, 5);
}

/** The result of driving, as text. */
function sayFailure(root, guardian) {
  const hardware = openHardware({ backend: 'linux', root, guardian });
  const pwm = hardware.openPwm({ chip: hardware.pwmChips()[0].path, channel: 0 });
  let failure = { code: '', message: '' };
  try {
    pwm.set(0.5, 1000);
  } catch ({ code, message }) {
    failure = { code, message };
  }
  process.stdout.write(JSON.stringify({ pid: process.pid, ...failure, ...pwm.read() }));
  hardware.close();
}

const [, , ...asked] = process.argv;
if (isMainThread && asked[1] === 'first') {
  sayFailure(asked[0], asked[2]);
} else if (isMainThread) {
  const [root, how, guardian] = asked;
  if (how === 'worker') {
    const worker = new Worker(new URL(import.meta.url), { workerData: { root } });
    worker.on('message', async (state) => {
      process.stdout.write(`${JSON.stringify(state)}\n`);
      await worker.terminate();
    });
  } else {
    const driven = drive(root, guardian);
    process.stdout.write(`${JSON.stringify(driven.pwm.read())}\n`);
    if (how === 'stop') sayExpiry(driven);
    if (how === 'exit') process.exit(0);
    if (how === 'throw') throw new Error('a program that fails');
    if (how === 'freeze') for (;;);
    if (how === 'kill' || how === 'signal') setInterval(() => {}, 1000);
    if (how === 'none') process.stdin.destroy();
  }
} else {
  parentPort.postMessage(drive(workerData.root).pwm.read());
  setInterval(() => {}, 1000);
}
