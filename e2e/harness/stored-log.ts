import path from 'node:path';
import { systemClock } from '../../src-main/base/clock.ts';
import type { LogEntry } from '../../src-main/machine/logging/log-entry.ts';
import { defaultLogStoreLimits } from '../../src-main/machine/logging/stored/log-protocol.ts';
import { logFolder, openLogStore } from '../../src-main/machine/logging/stored/log-store.ts';

/**
 * Writes the stored log that a server started with `home` finds, as earlier runs would have left it: `count` lines, one
 * per second, the last an hour ago.
 */
export async function storeLog(home: string, count: number, of: (seq: number) => Partial<LogEntry>): Promise<void> {
  const folder = logFolder(path.join(home, 'home'), path.join(home, 'machine.json'));
  const endsAt = Date.now() - 3_600_000;
  const store = openLogStore(folder, defaultLogStoreLimits, systemClock, () => undefined);
  if ('reason' in store) throw new Error(store.reason);
  for (let seq = 1; seq <= count; seq++) {
    store.write({
      seq,
      time: endsAt - (count - seq) * 1_000,
      level: 'info',
      logger: 'core.component.motor.left',
      message: `stored ${seq}`,
      fields: {},
      resource: undefined,
      caller: undefined,
      repeatCount: 1,
      firstTime: undefined,
      ...of(seq),
    });
    if (seq % 1_000 === 0) await store.drained();
  }
  await store.close();
}
