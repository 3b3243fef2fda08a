import { sleep, type Clock } from '../../base/clock.ts';
import type { RobotServiceDefinition } from '../../../proto/gen/core/app/v1/robot.ts';
import type { LogEntry } from '../../../proto/gen/core/common/v1/common.ts';
import type { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { Level, type Entry } from '../../../proto/gen/core/log/v1/log.ts';
import type { HubHandlers } from '../access/guarded.ts';
import type { Store } from '../storage/store.ts';
import { LogPace } from './log-pace.ts';
import type { PartLogs } from './part-log.ts';
import { ofZapField } from './zap-field.ts';

/** Names the log of a machine that numbers no entries. */
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

/** Logs as machines of ours send them. */
export function logUpload(store: Store, logs: PartLogs, clock: Clock): HubHandlers<typeof PartServiceDefinition> {
  const pace = new LogPace(clock);
  return {
    async uploadLogs({ partId, logId, entries }, caller, call) {
      await caller.require('part.serve', { type: 'part', id: partId }, store.db);
      const storedSeq = BigInt(await logs.append(partId, logId, entries));
      const delayMs = pace.delayMs(partId, entries.length);
      if (delayMs > 0) await sleep(clock, delayMs, call.signal);
      return { storedSeq };
    },
  };
}

/** Logs as machines of the public ecosystem send them. */
export function unnumberedUpload(store: Store, logs: PartLogs): HubHandlers<typeof RobotServiceDefinition> {
  return {
    async log({ id, logs: entries }, caller) {
      await caller.require('part.serve', { type: 'part', id }, store.db);
      await logs.appendUnnumbered(id, UNNUMBERED_LOG, entries.map(entryOf));
      return {};
    },
  };
}

/** An entry as the public ecosystem sends it; of a level that is unknown it is an ordinary one. */
function entryOf({ level, time, loggerName, message, caller, stack, fields }: LogEntry): Entry {
  const { File: file, Line: line } = caller ?? {};
  const named = fields.map(ofZapField);
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
