import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue';
import { useMachine } from '../../../shared/machine/machine.ts';
import type { LogCriteria } from '../../../shared/machine/machine-view.ts';
import { sameCriteria } from '../log-address.ts';
import { LogFeed } from './log-feed.ts';

export interface ShownFeed {
  readonly feed: Readonly<ShallowRef<LogFeed>>;
  /** Another number after changes of the feed, which changes in place: once a frame at most, however fast lines come. */
  readonly version: Readonly<Ref<number>>;
}

/** The feed of a filter, a new one with each change of it. */
export function useLogFeed(criteria: Readonly<Ref<LogCriteria>>): ShownFeed {
  const machine = useMachine();
  const version = ref(0);
  let frame = 0;

  function begin(): LogFeed {
    const feed: LogFeed = new LogFeed({
      machine,
      criteria: criteria.value,
      onChange: () => {
        if (feed === current.value && frame === 0) frame = requestAnimationFrame(draw);
      },
    });
    return feed;
  }
  function draw(): void {
    frame = 0;
    version.value++;
  }

  const current = shallowRef(begin());
  current.value.start();
  watch(criteria, (next, before) => {
    if (sameCriteria(next, before)) return;
    const wasPaused = current.value.lines.isPaused;
    current.value.stop();
    current.value = begin();
    current.value.start();
    if (wasPaused) current.value.pause();
    version.value++;
  });
  onScopeDispose(() => {
    current.value.stop();
    cancelAnimationFrame(frame);
  });
  return { feed: current, version };
}
