/**
 * Runs in the virtual bench: the addon samples an MCP3008 at a given rate, then two loops sample as fast as they can
 * (`spi-loops.c`). Prints samples and system calls of each; the device counts those of the addon.
 *   spi.ts <path of spi-loops> <samples a second>
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { openHardware } from '../../../../native/index.js';
import { adcCounts } from '../../../hardware/bench.ts';

const RUN_MS = 2_000;
const [loops = '', rate = ''] = process.argv.slice(2);
const device = '/dev/spidev0.0';

const hardware = openHardware({ backend: 'linux' });
const channels = [{ channel: 0, samplesPerSecond: Number(rate) }];
const adc = hardware.openAdc({ chip: 'mcp3008', device, channels });
await delay(200);
const [before, statsBefore, beganMs] = [adcCounts(), adc.stats(), performance.now()];
await delay(RUN_MS);
const [after, statsAfter, ms] = [adcCounts(), adc.stats(), performance.now() - beganMs];
adc.close();
hardware.close();

const loop = (kind: string): unknown =>
  JSON.parse(execFileSync(loops, [kind, device, String(RUN_MS)], { encoding: 'utf8' }));
process.stdout.write(
  `${JSON.stringify({
    ours: {
      samples: ((after.conversions - before.conversions) * RUN_MS) / ms,
      messages: ((after.messages - before.messages) * RUN_MS) / ms,
      systemCalls: ((statsAfter.systemCalls - statsBefore.systemCalls) * RUN_MS) / ms,
    },
    open: loop('open'),
    one: loop('one'),
    runMs: RUN_MS,
  })}\n`,
);
