/**
 * Drives a PWM channel of a folder that looks like sysfs, under a guardian, reports it, and continues.
 *   node owner.mjs <root> <expiry ms>
 */
import process from 'node:process';
import { setInterval } from 'node:timers';
import { guardianPath, openHardware } from '../../../native/index.js';

const [root, expiryMs] = process.argv.slice(2);
const hardware = openHardware({ backend: 'linux', root, guardian: guardianPath() });
const pwm = hardware.openPwm({ chip: hardware.pwmChips()[0].path, channel: 0, expiryMs: Number(expiryMs) });
pwm.set(0.5, 1000);
process.stdout.write('driving');
setInterval(() => {}, 1000);
