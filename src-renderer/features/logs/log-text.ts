import type { LogLine } from '../../shared/machine/machine-view.ts';

export type LogFormat = 'log' | 'jsonl';

/** A line as text, ended by a newline. */
export function lineAs(format: LogFormat, line: LogLine): string {
  return format === 'log' ? asText(line) : asJson(line);
}

/** UTC time, level, logger, message and fields between tabs, as the machine writes them with `-log-file`. */
function asText({ at, level, logger, message, fields }: LogLine): string {
  const time = new Date(at).toISOString();
  const text = `${time}\t${level.toUpperCase()}\t${logger}\t${message.replaceAll('\n', '\n\t')}`;
  return fields === '' ? `${text}\n` : `${text}\t${fields}\n`;
}

function asJson(line: LogLine): string {
  const { seq, at, level, logger, message, fields, resource, caller, repeats, firstAt } = line;
  return `${JSON.stringify({
    seq,
    time: new Date(at).toISOString(),
    level,
    logger,
    message,
    fields: fields === '' ? undefined : (JSON.parse(fields) as unknown),
    resource: resource === '' ? undefined : resource,
    caller: caller === '' ? undefined : caller,
    repeatCount: repeats > 1 ? repeats : undefined,
    firstTime: repeats > 1 ? new Date(firstAt).toISOString() : undefined,
  })}\n`;
}

/** Fields as JSON over several lines. */
export function prettyFields(fields: string): string {
  return JSON.stringify(JSON.parse(fields), null, 2);
}

/** A piece of a message: words, or the full name of a resource. */
export interface MessagePart {
  readonly text: string;
  readonly isResource: boolean;
}

// `core:component:motor/left`, in a sentence too: a name ends with a letter, a digit, `_` or `-`.
const FULL_NAME = /\b[\w-]+:(?:component|service):[\w-]+\/[\w-]+/g;

/** A message with the names of resources told from the words. */
export function partsOf(message: string): readonly MessagePart[] {
  const parts: MessagePart[] = [];
  let end = 0;
  for (const match of message.matchAll(FULL_NAME)) {
    if (match.index > end) parts.push({ text: message.slice(end, match.index), isResource: false });
    parts.push({ text: match[0], isResource: true });
    end = match.index + match[0].length;
  }
  if (end < message.length || parts.length === 0) parts.push({ text: message.slice(end), isResource: false });
  return parts;
}

/** What a folded message says without the words that count it: what its single lines say. */
export function unfolded(message: string): string {
  return message.replace(/^\((?:logged )?\d+ times [^)]*\) /, '');
}

/** A text cut where the searched words are in it, in any case. */
export function markedIn(
  text: string,
  searched: string,
): readonly { readonly text: string; readonly isMarked: boolean }[] {
  const wanted = searched.toLowerCase();
  const lower = text.toLowerCase();
  // A few letters change their length with their case: then nothing is marked rather than the wrong place.
  if (wanted === '' || lower.length !== text.length) return [{ text, isMarked: false }];
  const pieces: { text: string; isMarked: boolean }[] = [];
  let end = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, end)) {
    if (at > end) pieces.push({ text: text.slice(end, at), isMarked: false });
    end = at + wanted.length;
    pieces.push({ text: text.slice(at, end), isMarked: true });
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isMarked: false });
  return pieces;
}
