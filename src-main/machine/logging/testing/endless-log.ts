/** A program that logs to a store until it is killed: `node endless-log.ts FOLDER`. */
import { systemClock } from '../../../base/clock.ts';
import { LogRegistry } from '../log-registry.ts';
import { defaultLogStoreLimits } from '../stored/log-protocol.ts';
import { openLogStore } from '../stored/log-store.ts';

const [folder = ''] = process.argv.slice(2);
const store = openLogStore(folder, defaultLogStoreLimits, systemClock, () => undefined);
if ('reason' in store) throw new Error(store.reason);
const { nextSeq: firstSeq } = store;
const logs = new LogRegistry({ clock: systemClock, isDebugFlagSet: true, historyCapacity: 100, store, firstSeq });
let count = 0;
setInterval(() => {
  for (let index = 0; index < 50; index++) logs.logger('core.test').info(`line ${count++}`);
  // It is stored by now, so the test that kills this program knows what must be there.
  void store.drained().then(() => process.stdout.write(`${firstSeq + count - 1}\n`));
}, 1);
