import { onAbort } from '../../base/async/abort.ts';
import { ArmatureError } from '../../base/errors.ts';
import {
  LogOrder,
  type AppServiceDefinition,
  type TailRobotPartLogsResponse,
} from '../../../proto/gen/core/app/v1/app.ts';
import type { LogEntry } from '../../../proto/gen/core/common/v1/common.ts';
import { Level } from '../../../proto/gen/core/log/v1/log.ts';
import type { Store } from '../storage/store.ts';
import type { LogQuery, LogRow, PartLogs } from './part-log.ts';
import { toZapField } from './zap-field.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { Tail } from './log-service.ts';

const DEFAULT_PAGE_ENTRIES = 100;
const MAX_PAGE_ENTRIES = 1_000;

const levels: Readonly<Record<string, number>> = {
  debug: Level.DEBUG,
  info: Level.INFO,
  warn: Level.WARN,
  warning: Level.WARN,
  error: Level.ERROR,
};
const levelNames = ['info', 'debug', 'info', 'warn', 'error'] as const;

export interface LogCallsOptions {
  readonly store: Store;
  readonly logs: PartLogs;
  /** Name of the computer that a part last ran on; '' if it has never been online. */
  readonly hostOf: (partId: string) => Promise<string>;
}

/** Calls of `core.app.v1.AppService` that read logs of parts. */
export function logCalls({ store, logs, hostOf }: LogCallsOptions): HubHandlers<typeof AppServiceDefinition> {
  const part = (id: string) => ({ type: 'part', id }) as const;

  return {
    async getRobotPartLogs(request, caller, call) {
      const { id, errorsOnly, filter, pageToken, start, end, limit, source, order } = request;
      await caller.require('logs.read', part(id), store.db);
      const isAscending = order === LogOrder.ASCENDING;
      const from = positionOf(pageToken);
      const query: LogQuery = {
        levels: request.levels.length > 0 ? request.levels.map(levelOf) : errorsOnly ? [Level.ERROR] : [],
        text: filter === '' ? undefined : filter,
        logger: source === '' ? undefined : source,
        startMs: start?.getTime(),
        endMs: end?.getTime(),
        before: from,
      };
      const count = Math.min(Math.max(Number(limit ?? 0n), 0) || DEFAULT_PAGE_ENTRIES, MAX_PAGE_ENTRIES);
      const host = await hostOf(id);
      if (isAscending) {
        const page = await logs.ascending(id, { ...query, before: undefined, after: from }, count);
        return {
          logs: page.rows.map((row) => logMessage(row, host)),
          nextPageToken: page.next === undefined ? '' : String(page.next),
        };
      }
      const page = await logs.query(id, query, count, call.signal);
      return {
        logs: page.rows.map((row) => logMessage(row, host)),
        nextPageToken: page.next === undefined ? '' : String(page.next),
      };
    },

    async *tailRobotPartLogs({ id, errorsOnly, filter }, caller, call): AsyncGenerator<TailRobotPartLogsResponse> {
      await caller.require('logs.read', part(id), store.db);
      const host = await hostOf(id);
      const tail = new Tail({
        levels: errorsOnly ? [Level.ERROR] : [],
        text: filter === '' ? undefined : filter,
      });
      const unsubscribers = [logs.onAppend(id, (rows) => tail.add(rows)), onAbort(call.signal, () => tail.end())];
      try {
        for await (const rows of tail.rows(0)) {
          if (rows.length > 0) yield { logs: rows.map((row) => logMessage(row, host)) };
        }
      } finally {
        for (const unsubscribe of unsubscribers) unsubscribe();
      }
    },
  };
}

function levelOf(name: string): number {
  const level = levels[name.toLowerCase()];
  if (level !== undefined) return level;
  throw new ArmatureError(
    'call.bad_argument',
    `The log level "${name.slice(0, 40)}" is unknown; use debug, info, warn or error.`,
  );
}

/** An entry as a message of the public ecosystem. */
function logMessage(row: LogRow, host: string): LogEntry {
  const [, file = row.caller, line] = /^(.*):(\d+)$/.exec(row.caller) ?? [];
  const fields = JSON.parse(row.fields) as Record<string, unknown>;
  return {
    host,
    level: levelNames[row.level] ?? 'info',
    time: new Date(row.time),
    loggerName: row.logger,
    message: row.message,
    caller: row.caller === '' ? undefined : { Defined: true, File: file, Line: Number(line ?? 0), Function: '' },
    stack: '',
    fields: Object.entries(fields).map(([key, value]) => toZapField(key, value)),
  };
}

function positionOf(pageToken: string | undefined): number | undefined {
  if (pageToken === undefined || pageToken === '') return undefined;
  const position = Number(pageToken);
  if (Number.isSafeInteger(position) && position > 0) return position;
  throw new ArmatureError('call.bad_argument', `The page token "${pageToken.slice(0, 40)}" is not from this service.`);
}
