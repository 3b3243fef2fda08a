import type { LogLine } from '../../shared/machine/machine-view.ts';

export type LogFormat = 'log' | 'jsonl';

/** A line as text that ends with a newline. */
export function lineAs(format: LogFormat, line: LogLine): string {
  return format === 'log' ? asText(line) : asJson(line);
}

/** UTC time, level, logger, message and fields separated by tabs, as the machine writes them with `-log-file`. */
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

/** Fields as JSON on several lines. */
export function prettyFields(fields: string): string {
  return JSON.stringify(JSON.parse(fields), null, 2);
}

/** A piece of a message: plain text, or the full name of a resource. */
export interface MessagePart {
  readonly text: string;
  readonly isResource: boolean;
}

// `core:component:motor/left`. A full stop after a name is not part of it: names have letters, digits, `_` and `-`.
const FULL_NAME = /\b[\w-]+:(?:component|service):[\w-]+\/[\w-]+/g;

/** Splits a message into plain text and full names of resources. */
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

/** The message of a folded line without the count of repeats. */
export function unfolded(message: string): string {
  return message.replace(/^\((?:logged )?\d+ times [^)]*\) /, '');
}

/** Splits a text at the searched words, ignoring case. */
export function markedIn(
  text: string,
  searched: string,
): readonly { readonly text: string; readonly isMarked: boolean }[] {
  const wanted = searched.toLowerCase();
  const lower = text.toLowerCase();
  // A few letters change length with their case. Positions would then be wrong, so nothing is marked.
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
