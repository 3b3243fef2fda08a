import { onAbort } from '../../base/async/abort.ts';
import type { Clock } from '../../base/clock.ts';
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
import type { LogFilter } from '../logging/log-filter.ts';
import type { LogRegistry } from '../logging/log-registry.ts';

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 1_000;
/** Most entries in one Tail message, so that bursts become small messages. */
const LARGEST_BATCH = 200;
/** Longest time that Tail spends reading earlier entries, milliseconds. */
const BACKLOG_MS = 1_000;

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
    afterSeq: seqIn(filter?.afterSeq),
    beforeSeq: seqIn(filter?.beforeSeq),
  };
}

function seqIn(seq: bigint | undefined): number | undefined {
  return seq === undefined || seq === 0n ? undefined : Number(seq);
}

/** An entry in the form of the message. */
export function toWireEntry(entry: LogEntry): Entry {
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
    firstTime: entry.firstTime === undefined ? undefined : new Date(entry.firstTime),
  };
}

function parsePageToken(token: string): number | undefined {
  if (token === '') return undefined;
  const seq = Number(token);
  if (Number.isSafeInteger(seq) && seq > 0) return seq;
  throw new ArmatureError('call.bad_argument', `page_token "${token}" is none of ours; pass one of an earlier answer.`);
}

/** core.log.v1.LogService over the machine's own log. */
export function logService(logs: LogRegistry, clock: Clock): ServiceHandlers<typeof LogServiceDefinition> {
  const { history, reader } = logs;

  /** The latest matching entries, from as far back as a short search allows. */
  async function backlogOf(filter: LogFilter, count: number, signal: AbortSignal): Promise<LogEntry[]> {
    const endsAt = clock.monotonic() + BACKLOG_MS;
    let found: readonly LogEntry[] = [];
    let before: number | undefined;
    do {
      const page = await reader.query(filter, count - found.length, before, signal);
      found = [...page.entries, ...found];
      before = page.olderBeforeSeq;
    } while (before !== undefined && found.length < count && !signal.aborted && clock.monotonic() < endsAt);
    return [...found];
  }

  return {
    async query(request, call) {
      const limit = request.limit === 0 ? DEFAULT_PAGE : Math.min(request.limit, LARGEST_PAGE);
      const before = parsePageToken(request.pageToken);
      const page = await reader.query(toFilter(request.filter), limit, before, call.signal);
      const entries = page.entries.map(toWireEntry);
      return {
        entries: request.newestFirst ? entries.reverse() : entries,
        nextPageToken: page.olderBeforeSeq === undefined ? '' : String(page.olderBeforeSeq),
        unreadable: [...page.unreadable],
        searchedTo: page.searchedTo === undefined ? undefined : new Date(page.searchedTo),
      };
    },

    async *tail(request, call): AsyncGenerator<TailResponse> {
      const filter = { ...toFilter(request.filter), endMs: undefined, beforeSeq: undefined };
      // Subscribes before it reads the backlog: an entry written in between is in both, and sent once.
      const subscription = history.subscribe({ ...filter, afterSeq: undefined });
      const unsubscribe = onAbort(call.signal, () => subscription.close());
      try {
        const lastSeq = history.lastSeq;
        const wanted = Math.min(request.backlog, LARGEST_PAGE);
        const backlog = wanted === 0 ? [] : await backlogOf(filter, wanted, call.signal);
        yield { entries: backlog.map(toWireEntry), dropped: 0n, lastSeq: BigInt(lastSeq) };
        const lastTold = backlog.at(-1)?.seq ?? 0;
        let batch: Entry[] = [];
        let dropped = 0n;
        for await (const event of subscription.events) {
          if (event.kind === 'gap') {
            // A loss is reported before the entries that follow it.
            if (batch.length > 0) yield { entries: batch, dropped, lastSeq: 0n };
            batch = [];
            dropped = BigInt(event.dropped);
          } else if (event.entry.seq > lastTold) batch.push(toWireEntry(event.entry));
          if (subscription.waiting > 0 && batch.length < LARGEST_BATCH) continue;
          if (batch.length === 0 && dropped === 0n) continue;
          yield { entries: batch, dropped, lastSeq: 0n };
          batch = [];
          dropped = 0n;
        }
      } finally {
        unsubscribe();
        subscription.close();
      }
    },
  };
}
