import { formatBytes } from '../format-number.ts';
import type { Text } from '../text.ts';
import type { ModuleUpdateView, ModuleView } from './module-view.ts';
import type { Tone } from './status-merge.ts';

/** More than this many names are counted. */
const mostNamed = 4;

/** `left`, `left and right`, `a, b, c and d`, `a, b, c and 5 more`. */
export function namesInWords(names: readonly string[], t: Text): string {
  const [only = ''] = names;
  if (names.length <= 1) return only;
  const isLong = names.length > mostNamed;
  const named = names.slice(0, isLong ? mostNamed - 1 : -1);
  const last = isLong ? t('update.names.more', { count: names.length - named.length }) : (names.at(-1) ?? '');
  return t('update.names.last', { names: named.join(', '), last });
}

/** `left and right stop meanwhile`; '' where nothing runs that could. */
export function stopWords(names: readonly string[], t: Text): string {
  return names.length === 0 ? '' : t('update.stops', { names: namesInWords(names, t), count: names.length });
}

/** How far a version is that is to replace the running one. */
export function updateWords(update: ModuleUpdateView, t: Text): string {
  const { version, step, reason, doneBytes, totalBytes } = update;
  if (step !== 'downloading') return t(`update.step.${step}`, { version, reason });
  const done = formatBytes(doneBytes);
  if (totalBytes > 0) return t('update.downloadingOf', { version, done, total: formatBytes(totalBytes) });
  return t('update.step.downloading', { version, done });
}

/** A version that was not taken is a failure, one that waits is not. */
export function updateTone({ step }: ModuleUpdateView): Tone | 'info' {
  if (step === 'rejected') return 'bad';
  return step === 'deferred' || step === 'switching' ? 'warn' : 'info';
}

/** `acme:env 1.4.* → 1.4.2`: which one, what is wanted, and what that is now where it says it differently. */
export function versionWords({ wantedVersion, version }: Pick<ModuleView, 'wantedVersion' | 'version'>): string {
  if (wantedVersion === '' || version === '' || wantedVersion === version) return version || wantedVersion;
  return `${wantedVersion} → ${version}`;
}
