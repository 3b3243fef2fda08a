import type { Text } from '../text.ts';
import type { VersionView } from './history-view.ts';
import { shortName } from './machine-view.ts';

/** How many names a line lists; the others are counted. */
const MAX_NAMES = 3;

/** What changed. A summary that is only a count, such as `5 added`, gets the names as well. */
export function summaryWords(
  { summary, subjects }: Pick<VersionView, 'summary' | 'subjects'>,
  t: Text,
): { readonly what: string; readonly names: string } {
  const isCount = subjects.length > 1 && /^\d+ /.test(summary);
  const what = summary === '' ? t('versions.noSummary') : summary;
  return { what, names: isCount ? namesInShort(subjects) : '' };
}

function namesInShort(subjects: readonly string[]): string {
  const rest = subjects.length - MAX_NAMES;
  const names = subjects.slice(0, MAX_NAMES).map((subject) => shortName(subject));
  return [...names, ...(rest > 0 ? [`+${rest}`] : [])].join(', ');
}
