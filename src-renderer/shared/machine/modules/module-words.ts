import { type Module, type ModuleUpdate, ModuleUpdate_Step } from '../../../../proto/gen/core/status/v1/status.ts';
import { formatBytes } from '../../format-number.ts';
import type { Text } from '../../text.ts';
import type { Tone } from '../rpc/status-merge.ts';

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

/** As the catalogue names the steps of an update. */
const stepNames: Readonly<Record<number, 'unpacking' | 'firstRun' | 'deferred' | 'switching' | 'rejected'>> = {
  [ModuleUpdate_Step.UNPACKING]: 'unpacking',
  [ModuleUpdate_Step.FIRST_RUN]: 'firstRun',
  [ModuleUpdate_Step.DEFERRED]: 'deferred',
  [ModuleUpdate_Step.SWITCHING]: 'switching',
  [ModuleUpdate_Step.REJECTED]: 'rejected',
};

/** How far a version is that is to replace the running one. */
export function updateWords(update: ModuleUpdate, t: Text): string {
  const { version, step, reason, doneBytes, totalBytes } = update;
  const name = stepNames[step] ?? 'downloading';
  if (name !== 'downloading') return t(`update.step.${name}`, { version, reason });
  const done = formatBytes(Number(doneBytes));
  if (totalBytes > 0n) return t('update.downloadingOf', { version, done, total: formatBytes(Number(totalBytes)) });
  return t('update.step.downloading', { version, done });
}

/** A version that was not taken is a failure, one that waits is not. */
export function updateTone({ step }: ModuleUpdate): Tone | 'info' {
  if (step === ModuleUpdate_Step.REJECTED) return 'bad';
  return step === ModuleUpdate_Step.DEFERRED || step === ModuleUpdate_Step.SWITCHING ? 'warn' : 'info';
}

/** `acme:env 1.4.* → 1.4.2`: which one, what is wanted, and what that is now where it says it differently. */
export function versionWords({ wantedVersion, version }: Pick<Module, 'wantedVersion' | 'version'>): string {
  if (wantedVersion === '' || version === '' || wantedVersion === version) return version || wantedVersion;
  return `${wantedVersion} → ${version}`;
}
