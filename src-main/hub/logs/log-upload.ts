import { sleep, type Clock } from '../../base/clock.ts';
import type { RobotServiceDefinition } from '../../../proto/gen/core/app/v1/robot.ts';
import type { LogEntry } from '../../../proto/gen/core/common/v1/common.ts';
import type { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { Level, type Entry } from '../../../proto/gen/core/log/v1/log.ts';
import type { HubHandlers } from '../access/guarded.ts';
import type { Store } from '../storage/store.ts';
import { LogRateLimiter } from './log-pace.ts';
import type { PartLogs } from './part-log.ts';
import { fromZapField } from './zap-field.ts';

/** Log id for machines that do not number their entries. */
const UNNUMBERED_LOG = 'RobotService/Log';

const levels: Readonly<Record<string, Level>> = {
  debug: Level.DEBUG,
  warn: Level.WARN,
  warning: Level.WARN,
  error: Level.ERROR,
  dpanic: Level.ERROR,
  panic: Level.ERROR,
  fatal: Level.ERROR,
};

/** Log upload of Armature machines. */
export function logUpload(store: Store, logs: PartLogs, clock: Clock): HubHandlers<typeof PartServiceDefinition> {
  const limiter = new LogRateLimiter(clock);
  return {
    async uploadLogs({ partId, logId, entries }, caller, call) {
      await caller.require('part.serve', { type: 'part', id: partId }, store.db);
      const storedSeq = BigInt(await logs.append(partId, logId, entries));
      const delayMs = limiter.delayMs(partId, entries.length);
      if (delayMs > 0) await sleep(clock, delayMs, call.signal);
      return { storedSeq };
    },
  };
}

/** Log upload of machines of the public ecosystem. */
export function unnumberedUpload(store: Store, logs: PartLogs): HubHandlers<typeof RobotServiceDefinition> {
  return {
    async log({ id, logs: entries }, caller) {
      await caller.require('part.serve', { type: 'part', id }, store.db);
      await logs.appendUnnumbered(id, UNNUMBERED_LOG, entries.map(entryOf));
      return {};
    },
  };
}

/** Converts an entry of the public ecosystem. An unknown level becomes info. */
function entryOf({ level, time, loggerName, message, caller, stack, fields }: LogEntry): Entry {
  const { File: file, Line: line } = caller ?? {};
  const named = fields.map(fromZapField);
  const more = stack === '' ? {} : { stack };
  return {
    seq: 0n,
    time,
    level: levels[level.toLowerCase()] ?? Level.INFO,
    logger: loggerName,
    message,
    fields: { ...Object.fromEntries(named.filter(([key]) => key !== '')), ...more },
    resource: '',
    caller: typeof file === 'string' && file !== '' ? `${file}:${typeof line === 'number' ? line : 0}` : '',
    repeatCount: 1,
    firstTime: undefined,
  };
}
