import { type Presence, Presence_State } from '../../../proto/gen/core/hub/v1/presence.ts';
import { formatAge } from '../timing/age.ts';
import type { Text } from '../text.ts';
import type { Tone } from './rpc/status-merge.ts';

/** A lower age is shown as "just now". */
const justNowMs = 60_000;

/** Presence of a part as the message keys name it; `awaiting`: it has never connected to its hub. */
export type PresenceName = 'online' | 'offline' | 'awaiting';

export function presenceName(state: Presence_State): PresenceName {
  if (state === Presence_State.ONLINE) return 'online';
  return state === Presence_State.AWAITING_SETUP ? 'awaiting' : 'offline';
}

export function presenceTone({ state }: Presence): Tone {
  return state === Presence_State.ONLINE ? 'ok' : 'off';
}

/** `online`, `offline since 3 h`, `awaiting setup`. */
export function presenceWords({ state, lastSeen }: Presence, now: number, t: Text): string {
  const name = presenceName(state);
  if (name !== 'offline' || lastSeen === undefined) return t(`presence.${name}`);
  return t('presence.offlineFor', { age: formatAge(now - lastSeen.getTime()) });
}

/** `7 of 7 ready`, `6 of 7 ready, 1 failed`; '' for a part that never reported its status. */
export function healthWords(part: Presence, t: Text): string {
  const { statusTime, resourcesExpected: expected, resourcesReady: ready, resourcesFailed: failed } = part;
  if (statusTime === undefined) return '';
  if (expected === 0) return t('header.noResources');
  const line = t('header.ready', { ready, expected });
  return failed === 0 ? line : t('presence.failed', { line, count: failed });
}

export function healthTone({ resourcesExpected, resourcesReady, resourcesFailed }: Presence): Tone {
  if (resourcesFailed > 0) return 'bad';
  return resourcesReady < resourcesExpected ? 'warn' : 'ok';
}

/** Whether a part ran the current configuration when it last reported. */
export function hasConfig({ configRevision, appliedRevision }: Presence): boolean {
  return configRevision === appliedRevision;
}

/** A note about a part that does not run the current configuration; otherwise ''. */
export function configNote(part: Presence, t: Text): string {
  if (part.configNumber === 0n || hasConfig(part)) return '';
  if (part.statusTime === undefined || part.state !== Presence_State.ONLINE) return t('presence.configWaits');
  return t('presence.configBehind');
}

/** `now`, `4 min ago`, `never`. */
export function seenWords({ state, lastSeen }: Presence, now: number, t: Text): string {
  if (lastSeen === undefined) return t('presence.never');
  if (state === Presence_State.ONLINE) return t('presence.now');
  return agoWords(lastSeen.getTime(), now, t);
}

/** `just now`, `4 min ago`. */
export function agoWords(at: number, now: number, t: Text): string {
  const ageMs = now - at;
  return ageMs < justNowMs ? t('presence.justNow') : t('presence.ago', { age: formatAge(ageMs) });
}

/** `bench-04`, or `bench-04 / arm` if it is not the machine's main part. */
export function partLabel({ machineName, partName, isMain }: Presence): string {
  return isMain ? machineName : `${machineName} / ${partName}`;
}

/** Local time, with the day if that is not the day of `now`: `10:42`, `18 Nov 10:42`. */
export function momentWords(at: number, now: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })} ${time}`;
}
