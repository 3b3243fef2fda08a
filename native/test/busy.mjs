/** Uses everything of the simulator at once; in a worker it goes on until it is ended. */
import { isMainThread, parentPort } from 'node:worker_threads';
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

if (!isMainThread && parentPort !== null) {
  const hardware = openBusy();
  setInterval(() => {
    for (let i = 0; i < 100; i += 1) hardware.sim.pull('/dev/gpiochip1', 4, i % 2 === 0);
  }, 1);
  parentPort.postMessage('busy');
}
