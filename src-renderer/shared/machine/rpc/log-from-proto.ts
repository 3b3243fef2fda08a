/** Converts messages of the log to the page's own types. Pure functions, one per message. */
import {
  Level,
  type Entry,
  type Filter,
  type QueryResponse,
  type TailResponse,
} from '../../../../proto/gen/core/log/v1/log.ts';
import type { LogBatch, LogCriteria, LogLevelName, LogLine, LogPageView } from '../machine-view.ts';

const levelNames: Readonly<Record<number, LogLevelName>> = {
  [Level.DEBUG]: 'debug',
  [Level.WARN]: 'warn',
  [Level.ERROR]: 'error',
};

/** A level and the higher ones. */
function levelsFrom(minimum: LogLevelName): Level[] {
  const all: readonly (readonly [LogLevelName, Level])[] = [
    ['debug', Level.DEBUG],
    ['info', Level.INFO],
    ['warn', Level.WARN],
    ['error', Level.ERROR],
  ];
  return all.slice(all.findIndex(([name]) => name === minimum)).map(([, level]) => level);
}

/** A number of 0 does not restrict. */
export function logFilterFrom(criteria: LogCriteria, afterSeq: number, beforeSeq: number): Filter {
  const { level, resource, logger, text, from, to } = criteria;
  return {
    levels: levelsFrom(level),
    resource,
    logger,
    text,
    start: from === undefined ? undefined : new Date(from),
    end: to === undefined ? undefined : new Date(to),
    afterSeq: BigInt(afterSeq),
    beforeSeq: BigInt(beforeSeq),
  };
}

function lineFrom(entry: Entry): LogLine {
  const hasFields = entry.fields !== undefined && Object.keys(entry.fields).length > 0;
  const at = entry.time?.getTime() ?? 0;
  return {
    seq: Number(entry.seq),
    at,
    level: levelNames[entry.level] ?? 'info',
    logger: entry.logger,
    message: entry.message,
    resource: entry.resource,
    repeats: Math.max(entry.repeatCount, 1),
    firstAt: entry.firstTime?.getTime() ?? at,
    fields: hasFields ? JSON.stringify(entry.fields) : '',
    caller: entry.caller,
  };
}

export function batchFrom(message: TailResponse): LogBatch {
  return {
    lines: message.entries.map(lineFrom),
    dropped: Number(message.dropped),
    lastSeq: Number(message.lastSeq),
  };
}

export function logPageFrom(message: QueryResponse): LogPageView {
  return {
    lines: message.entries.map(lineFrom),
    olderToken: message.nextPageToken,
    unreadable: message.unreadable,
    searchedTo: message.searchedTo?.getTime(),
  };
}
