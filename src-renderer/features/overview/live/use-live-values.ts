import { onScopeDispose, ref, watch } from 'vue';
import type { Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import { useReadings } from '../../../shared/machine/use-reading.ts';
import { usePins } from '../../../shared/pins/pins.ts';
import { useAppliedConfig } from '../../../shared/stores/applied-config.ts';
import { useIsShown } from '../../../shared/timing/use-is-shown.ts';
import { usePinFeeds } from '../pinned/pin-feeds.ts';
import { LiveValues, type ResourceValues } from '../../../shared/live/live-values.ts';
import { mergedPolls, polledResource, valuePolls } from '../../../shared/live/value-polls.ts';
import { nodePolls } from './live-polls.ts';

/** Pinned values are polled this often: a speed is computed from positions. */
const pinnedHz = 4;
/** Nobody reads quicker, and each time the whole picture is compared. */
const shownEveryMs = 250;

/**
 * The live values of the resources that are shown and of all pins, over one stream. Nothing is polled while the screen
 * is not seen.
 * @param shown resources whose values are shown beside their names
 * @param all every resource of the machine
 */
export function useLiveValues(
  shown: () => readonly Resource[],
  all: () => readonly Resource[],
): (name: string) => ResourceValues {
  const pins = usePins();
  const feeds = usePinFeeds();
  const config = useAppliedConfig();
  const isSeen = useIsShown();
  const values = new LiveValues();
  const shownTick = ref(0);
  let isFresh = false;

  const polls = () =>
    mergedPolls([...nodePolls(shown(), all(), config.components), ...valuePolls(pins.pins, all(), pinnedHz)]);
  useReadings(
    () => (isSeen.value ? polls() : []),
    (reading) => {
      const resource = polledResource(reading.id);
      const numbers = values.take(resource, reading);
      for (const [value, number] of numbers) {
        if (pins.has({ resource, value })) feeds.take({ resource, value }, reading, number);
      }
      isFresh = true;
    },
  );
  watch(
    () => polls().map(({ resource }) => resource),
    (polled) => values.keepOnly(new Set(polled)),
  );
  const timer = setInterval(() => {
    if (isFresh) shownTick.value++;
    isFresh = false;
  }, shownEveryMs);
  onScopeDispose(() => clearInterval(timer));

  return (name) => {
    // New values do not render by themselves.
    void shownTick.value;
    return values.of(name);
  };
}
