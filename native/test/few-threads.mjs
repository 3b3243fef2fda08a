/**
 * Runs its parent's commands, one word per line, and answers each with a line of JSON: the code of the error, '' where
 * there was none, and whether the line is held. Runs as a user with a process limit: root has none.
 */
import process from 'node:process';
import { createInterface } from 'node:readline';
import { missingReason, openHardware } from '../index.js';

const nobody = 65_534;
const chip = '/dev/gpiochip0';
missingReason();
if (process.getuid() === 0) process.setuid(nobody);
let hardware;
let line;
let edges = 0;

const commands = {
  open: () => void (hardware = openHardware({ backend: 'sim' })),
  drive: () => (line ??= hardware.openLine({ chip, offset: 1 })).write(true),
  pulse: () => (line ??= hardware.openLine({ chip, offset: 1 })).pwm(0.5, 100),
  watch: () => {
    hardware.watchEdges({ chip, lines: [{ offset: 2, edges: 'both' }] }, () => {
      edges += 1;
      answer({ edges });
    });
    hardware.sim.pull(chip, 2, true);
  },
  sample: () => {
    const channels = [{ channel: 0, samplesPerSecond: 100 }];
    hardware.openAdc({ chip: 'mcp3008', device: '/dev/spidev0.0', channels });
  },
};

function answer(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

const input = createInterface({ input: process.stdin });
input.on('line', (name) => {
  let failure = { code: '', message: '' };
  try {
    commands[name]();
  } catch ({ code, message }) {
    failure = { code, message };
  }
  const isDriven = hardware?.sim.probe(chip, 1).isDriven ?? false;
  answer({ ...failure, isDriven, isHeld: hardware?.gpioLines(chip)[2].isUsed ?? false });
});
answer({});
