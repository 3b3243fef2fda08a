import { computed } from 'vue';
import { useRouter } from 'vue-router';
import { Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { stateName, toneOf } from '../../../shared/machine/rpc/status-merge.ts';
import { useLastKnown } from '../../../shared/machine/use-last-known.ts';
import type { NodeFace } from '../../../shared/picture/node-face.ts';
import { useFleet } from '../../../shared/stores/fleet.ts';
import { useText } from '../../../shared/text.ts';
import { resourceRoute } from '../resources/entry-address.ts';
import { useResources } from '../resources/resource-overview.ts';

/** How the entries of the draft look in a picture. @param selected full name of the one in the middle */
export function useNodeFaces(selected: () => string | undefined = () => undefined): (id: string) => NodeFace {
  const t = useText();
  const fleet = useFleet();
  const lastKnown = useLastKnown();
  const router = useRouter();
  const resources = useResources();
  const inCycle = computed(() => new Set(resources.graph.cycles.flat()));

  return (id) => {
    const row = resources.rowOf(id);
    const known = resources.graph.nodes.get(id);
    const name = known?.name ?? id;
    const isMissing = row === undefined || known?.isThere !== true;
    const live = row?.live;
    const words = isMissing
      ? t('picture.missing')
      : row.isDisabled
        ? t('state.kinds.disabled')
        : fleet.isAway
          ? t('resources.away')
          : live === undefined
            ? t('resources.notApplied')
            : lastKnown.words(t(`state.kinds.${stateName(live.state)}`));
    return {
      name,
      label: [name, words, ...(inCycle.value.has(id) ? [t('picture.inCircle')] : [])].join(', '),
      href: isMissing ? undefined : router.resolve(resourceRoute(row.address)).href,
      tone: isMissing ? 'bad' : fleet.isAway ? 'off' : live === undefined ? 'new' : toneOf(live.state),
      isSelected: id === selected(),
      isDashed:
        isMissing ||
        row.isDisabled ||
        (!fleet.isAway && (live === undefined || live.state === Resource_State.DISABLED)),
      isWrong: isMissing || inCycle.value.has(id),
    };
  };
}
