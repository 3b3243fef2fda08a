import type { LogEntry } from '../log-entry.ts';

// Control characters apart from tab and newline, and the C1 range: a message must not move a terminal's cursor.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * An entry as one text record that ends with a newline: UTC time with milliseconds, level, logger, message, then any
 * fields as JSON, separated by tabs. Further lines of a message start with a tab, so no message can look like a record.
 */
export function formatLine(entry: LogEntry): string {
  const message = entry.message.replace(CONTROL, escapeControl).replace(/\n/g, '\n\t');
  const fields = entry.caller === undefined ? entry.fields : { ...entry.fields, caller: entry.caller };
  const time = new Date(entry.time).toISOString();
  const line = `${time}\t${entry.level.toUpperCase()}\t${entry.logger}\t${message}`;
  for (const _ in fields) return `${line}\t${JSON.stringify(fields).replace(CONTROL, escapeControl)}\n`;
  return `${line}\n`;
}

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
