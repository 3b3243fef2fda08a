import { computed, type ComputedRef } from 'vue';
import { timeOf } from '../../shared/machine/machine-view.ts';
import { Machine_State } from '../../../proto/gen/core/status/v1/status.ts';
import { healthWords, momentWords, partLabel, presenceTone } from '../../shared/machine/part-words.ts';
import type { Tone } from '../../shared/machine/rpc/status-merge.ts';
import { useFleet } from '../../shared/stores/fleet.ts';
import { useMachineStatus } from '../../shared/stores/machine-status.ts';
import { useText } from '../../shared/text.ts';
import { useNow } from '../../shared/timing/use-now.ts';

/** Machine states as the message keys name them. */
const machineStates: Readonly<Record<number, 'running' | 'stopping'>> = {
  [Machine_State.RUNNING]: 'running',
  [Machine_State.STOPPING]: 'stopping',
};

/** The machine that the page is about, as the header shows it. */
export interface Here {
  /** '' if it has none or the hub is not known. */
  readonly location: ComputedRef<string>;
  readonly name: ComputedRef<string>;
  readonly stateWord: ComputedRef<string>;
  readonly tone: ComputedRef<Tone>;
  /** While it is offline, the last known state of its resources; otherwise ''. */
  readonly lastWord: ComputedRef<string>;
}

export function useHere(): Here {
  const t = useText();
  const fleet = useFleet();
  const status = useMachineStatus();
  const now = useNow(30_000);

  const stateWord = computed(() => {
    const { here } = fleet;
    if (fleet.isAway && here !== undefined) {
      if (here.lastSeen === undefined) return t('presence.awaiting');
      return t('header.awaySince', { time: momentWords(timeOf(here.lastSeen), now.value) });
    }
    const { info, readiness } = status;
    if (info === undefined) return t('header.state.unknown');
    if (info.state === Machine_State.RUNNING && readiness.failed > 0)
      return t('header.failed', { count: readiness.failed });
    return t(`header.state.${machineStates[info.state] ?? 'starting'}`);
  });

  return {
    location: computed(() => fleet.places.locations.find(({ id }) => id === fleet.here?.locationId)?.name ?? ''),
    name: computed(() => {
      if (fleet.here !== undefined) return partLabel(fleet.here);
      return status.info?.name || t('header.unnamed');
    }),
    stateWord,
    tone: computed(() => (fleet.isAway && fleet.here !== undefined ? presenceTone(fleet.here) : status.tone)),
    lastWord: computed(() => (fleet.isAway && fleet.here !== undefined ? healthWords(fleet.here, t) : '')),
  };
}
