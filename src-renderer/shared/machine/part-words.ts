import { formatAge } from '../timing/age.ts';
import type { Text } from '../text.ts';
import type { PartView } from './fleet-view.ts';
import type { Tone } from './status-merge.ts';

/** Below this an age is no news. */
const justNowMs = 60_000;

/** How a part is, in the words that every screen uses. */
export function presenceTone({ state }: Pick<PartView, 'state'>): Tone {
  return state === 'online' ? 'ok' : 'off';
}

/** `online`, `offline since 3 h`, `awaiting setup`. */
export function presenceWords(part: PartView, now: number, t: Text): string {
  if (part.state !== 'offline' || part.lastSeen === undefined) return t(`presence.${part.state}`);
  return t('presence.offlineFor', { age: formatAge(now - part.lastSeen) });
}

/** `7 of 7 ready`, `6 of 7 ready, 1 failed`; '' for a part that never said. */
export function healthWords({ statusAt, expected, ready, failed }: PartView, t: Text): string {
  if (statusAt === undefined) return '';
  if (expected === 0) return t('header.noResources');
  const line = t('header.ready', { ready, expected });
  return failed === 0 ? line : t('presence.failed', { line, count: failed });
}

export function healthTone({ failed, ready, expected }: PartView): Tone {
  if (failed > 0) return 'bad';
  return ready < expected ? 'warn' : 'ok';
}

/** What is unusual of a part's configuration; '' where it runs what is meant to run. */
export function configNote({ configNumber, hasConfig, state, statusAt }: PartView, t: Text): string {
  if (configNumber === 0 || hasConfig) return '';
  if (statusAt === undefined || state !== 'online') return t('presence.configWaits');
  return t('presence.configBehind');
}

/** `now`, `4 min ago`, `never`. */
export function seenWords(part: PartView, now: number, t: Text): string {
  if (part.lastSeen === undefined) return t('presence.never');
  if (part.state === 'online') return t('presence.now');
  return agoWords(part.lastSeen, now, t);
}

/** `just now`, `4 min ago`. */
export function agoWords(at: number, now: number, t: Text): string {
  const ageMs = now - at;
  return ageMs < justNowMs ? t('presence.justNow') : t('presence.ago', { age: formatAge(ageMs) });
}

/** `bench-04`, or `bench-04 / arm` where it is not the machine's main part. */
export function partLabel({ machineName, partName, isMain }: PartView): string {
  return isMain ? machineName : `${machineName} / ${partName}`;
}

/** Local time; with its day where that is not the day of `now`: `10:42`, `18 Nov 10:42`. */
export function momentWords(at: number, now: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })} ${time}`;
}
