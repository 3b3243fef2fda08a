import { onAbort } from '../../base/abort.ts';
import type { LogLevel } from '../../base/logger.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import {
  Level,
  type Entry,
  type Filter,
  type LogServiceDefinition,
  type TailResponse,
} from '../../../proto/gen/core/log/v1/log.ts';
import type { LogEntry } from '../logging/log-entry.ts';
import type { LogFilter, LogHistory } from '../logging/log-history.ts';

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 1_000;
/** Entries in one Tail message at most, so that a burst stays small messages. */
const LARGEST_BATCH = 200;

const levelOf: Readonly<Record<number, LogLevel>> = {
  [Level.DEBUG]: 'debug',
  [Level.INFO]: 'info',
  [Level.WARN]: 'warn',
  [Level.ERROR]: 'error',
};
const wireLevel = { debug: Level.DEBUG, info: Level.INFO, warn: Level.WARN, error: Level.ERROR } as const;

function toFilter(filter: Filter | undefined): LogFilter {
  const levels = (filter?.levels ?? []).flatMap((level) => levelOf[level] ?? []);
  const orUndefined = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
  return {
    levels,
    logger: orUndefined(filter?.logger),
    resource: orUndefined(filter?.resource),
    text: orUndefined(filter?.text),
    startMs: filter?.start?.getTime(),
    endMs: filter?.end?.getTime(),
  };
}

function toWire(entry: LogEntry): Entry {
  return {
    seq: BigInt(entry.seq),
    time: new Date(entry.time),
    level: wireLevel[entry.level],
    logger: entry.logger,
    message: entry.message,
    fields: { ...entry.fields },
    resource: entry.resource ?? '',
    caller: entry.caller ?? '',
    repeatCount: entry.repeatCount,
  };
}

function parsePageToken(token: string): number | undefined {
  if (token === '') return undefined;
  const seq = Number(token);
  if (Number.isSafeInteger(seq) && seq > 0) return seq;
  throw new ArmatureError('call.bad_argument', `page_token "${token}" is none of ours; pass one of an earlier answer.`);
}

/** core.log.v1.LogService over the machine's own history of entries. */
export function logService(history: LogHistory): ServiceHandlers<typeof LogServiceDefinition> {
  return {
    query(request) {
      const limit = request.limit === 0 ? DEFAULT_PAGE : Math.min(request.limit, LARGEST_PAGE);
      const page = history.query(toFilter(request.filter), limit, parsePageToken(request.pageToken));
      const entries = page.entries.map(toWire);
      return {
        entries: request.newestFirst ? entries.reverse() : entries,
        nextPageToken: page.olderBeforeSeq === undefined ? '' : String(page.olderBeforeSeq),
      };
    },

    async *tail(request, call): AsyncGenerator<TailResponse> {
      const filter = { ...toFilter(request.filter), endMs: undefined };
      // Subscribed before the backlog is read: an entry written in between is in both, and told once.
      const subscription = history.subscribe(filter);
      const forget = onAbort(call.signal, () => subscription.close());
      try {
        const backlog = history.query(filter, Math.min(request.backlog, LARGEST_PAGE), undefined).entries;
        yield { entries: request.backlog === 0 ? [] : backlog.map(toWire), dropped: 0n };
        const lastTold = request.backlog === 0 ? 0 : (backlog.at(-1)?.seq ?? 0);
        let batch: Entry[] = [];
        let dropped = 0n;
        for await (const event of subscription.events) {
          if (event.kind === 'gap') {
            // A loss is told in front of what follows it.
            if (batch.length > 0) yield { entries: batch, dropped };
            batch = [];
            dropped = BigInt(event.dropped);
          } else if (event.entry.seq > lastTold) batch.push(toWire(event.entry));
          if (subscription.waiting > 0 && batch.length < LARGEST_BATCH) continue;
          if (batch.length === 0 && dropped === 0n) continue;
          yield { entries: batch, dropped };
          batch = [];
          dropped = 0n;
        }
      } finally {
        forget();
        subscription.close();
      }
    },
  };
}
