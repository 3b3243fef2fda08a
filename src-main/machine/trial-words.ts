import { parseFullName } from '../../proto/config/names.ts';
import type { Unready } from './trial.ts';

/** Lines of a message about many resources; the status of each has the rest. */
const MOST_LINES = 5;

/** Lines about resources in one, cut short where there are many. */
export function inOneLine(lines: readonly string[]): string {
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** `left: its board failed; wheel: being built`. */
export function unreadyLines(unready: readonly Unready[]): string {
  return inOneLine(unready.map(({ name, reason }) => `${parseFullName(name)?.name ?? name}: ${reason}`));
}

/**
 * What was not ready, and why: `left was not ready in 30 s: its board failed`.
 * @param what after "not": `ready in 30 s`
 */
export function unreadySentence(unready: readonly Unready[], what: string): string {
  const [first] = unready;
  if (unready.length === 1 && first !== undefined) {
    return `${parseFullName(first.name)?.name ?? first.name} was not ${what}: ${first.reason}`;
  }
  return `${unready.length} resources were not ${what}: ${unreadyLines(unready)}`;
}
