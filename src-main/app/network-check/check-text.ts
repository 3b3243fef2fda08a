import { textColumns } from '../../base/text-columns.ts';
import type { CheckResult } from './check.ts';

const words = { ok: 'ok', note: 'note', failed: 'FAILED' } as const;

/** The report for people: a table, with the next step below what failed, then one line about all of it. */
export function checkText(results: readonly CheckResult[], preface: readonly string[]): string {
  const rows = results.map(({ state, area, target, tookMs, found }) => [
    words[state],
    area,
    target,
    tookMs === 0 ? '' : `${tookMs} ms`,
    // Servers say it: nothing of theirs may act on a terminal, or look like another line.
    found.replace(/\p{C}+/gu, ' ').trim(),
  ]);
  const lines = textColumns(rows).flatMap((line, index) => {
    const next = results[index]?.next ?? '';
    return next === '' ? [line] : [line, `          ${next}`];
  });
  const count = results.filter(({ state }) => state === 'failed').length;
  const end = count === 0 ? 'All is well.' : `${count} ${count === 1 ? 'check' : 'checks'} failed.`;
  return [...preface, 'Network', ...lines, '', end, ''].join('\n');
}
