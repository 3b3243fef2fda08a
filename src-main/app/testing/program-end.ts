import { open } from 'node:fs/promises';
import { setInterval } from 'node:timers';
import { systemClock } from '../../base/clock.ts';
import { LogRegistry } from '../../machine/logging/log-registry.ts';
import { ProgramEnd } from '../program-end.ts';

/** A program whose orderly stop never ends, with a thread that waits in the kernel: opening a pipe that nobody writes to. */
const [pipe = ''] = process.argv.slice(2);
setInterval(() => undefined, 60_000);
void open(pipe);
const logs = new LogRegistry({
  clock: systemClock,
  isDebugFlagSet: false,
  historyCapacity: 10,
  store: undefined,
  firstSeq: 1,
});
const end = new ProgramEnd('server', logs);
end.followSignals();
process.stdout.write('ready\n');
await end.requested;
process.stdout.write('stopping\n');
await end.carryOut(() => new Promise(() => undefined));
