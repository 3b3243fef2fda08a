import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue';
import { useMachine } from '../../../shared/machine/machine.ts';
import type { LogCriteria } from '../../../shared/machine/machine-view.ts';
import { sameCriteria } from '../log-address.ts';
import { LogFeed } from './log-feed.ts';

export interface ShownFeed {
  readonly feed: Readonly<ShallowRef<LogFeed>>;
  /** Changes after changes of the feed, at most once per frame, however fast lines come. */
  readonly version: Readonly<Ref<number>>;
}

/** The feed that matches `criteria`; a change of them makes a new one. */
export function useLogFeed(criteria: Readonly<Ref<LogCriteria>>): ShownFeed {
  const machine = useMachine();
  const version = ref(0);
  let frame = 0;

  function newFeed(): LogFeed {
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

  const current = shallowRef(newFeed());
  current.value.start();
  watch(criteria, (next, before) => {
    if (sameCriteria(next, before)) return;
    const wasPaused = current.value.lines.isPaused;
    current.value.stop();
    current.value = newFeed();
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
