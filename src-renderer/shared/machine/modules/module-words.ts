import { type Module, type ModuleUpdate, ModuleUpdate_Step } from '../../../../proto/gen/core/status/v1/status.ts';
import { formatBytes } from '../../format-number.ts';
import type { Text } from '../../text.ts';
import type { Tone } from '../rpc/status-merge.ts';

/** Of more names than this, the rest are only counted. */
const MAX_NAMED = 4;

/** `left`, `left and right`, `a, b, c and d`, `a, b, c and 5 more`. */
export function namesInWords(names: readonly string[], t: Text): string {
  const [only = ''] = names;
  if (names.length <= 1) return only;
  const isLong = names.length > MAX_NAMED;
  const named = names.slice(0, isLong ? MAX_NAMED - 1 : -1);
  const last = isLong ? t('update.names.more', { count: names.length - named.length }) : (names.at(-1) ?? '');
  return t('update.names.last', { names: named.join(', '), last });
}

/** `left and right stop meanwhile`; '' if nothing stops. */
export function stopWords(names: readonly string[], t: Text): string {
  return names.length === 0 ? '' : t('update.stops', { names: namesInWords(names, t), count: names.length });
}

/** Steps of an update, as the message keys name them. */
const stepNames: Readonly<Record<number, 'unpacking' | 'firstRun' | 'deferred' | 'switching' | 'rejected'>> = {
  [ModuleUpdate_Step.UNPACKING]: 'unpacking',
  [ModuleUpdate_Step.FIRST_RUN]: 'firstRun',
  [ModuleUpdate_Step.DEFERRED]: 'deferred',
  [ModuleUpdate_Step.SWITCHING]: 'switching',
  [ModuleUpdate_Step.REJECTED]: 'rejected',
};

/** Progress of the version that will replace the running one. */
export function updateWords(update: ModuleUpdate, t: Text): string {
  const { version, step, reason, doneBytes, totalBytes } = update;
  const name = stepNames[step] ?? 'downloading';
  if (name !== 'downloading') return t(`update.step.${name}`, { version, reason });
  const done = formatBytes(Number(doneBytes));
  if (totalBytes > 0n) return t('update.downloadingOf', { version, done, total: formatBytes(Number(totalBytes)) });
  return t('update.step.downloading', { version, done });
}

/** A rejected version is a failure; one that waits is a warning. */
export function updateTone({ step }: ModuleUpdate): Tone | 'info' {
  if (step === ModuleUpdate_Step.REJECTED) return 'bad';
  return step === ModuleUpdate_Step.DEFERRED || step === ModuleUpdate_Step.SWITCHING ? 'warn' : 'info';
}

/** `1.4.* → 1.4.2`: the wanted version, and the one that runs if it is written differently. */
export function versionWords({ wantedVersion, version }: Pick<Module, 'wantedVersion' | 'version'>): string {
  if (wantedVersion === '' || version === '' || wantedVersion === version) return version || wantedVersion;
  return `${wantedVersion} → ${version}`;
}
