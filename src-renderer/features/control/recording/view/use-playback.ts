import { onScopeDispose, ref, type Ref } from 'vue';
import type { TimeWindow } from '../../../../shared/plot/time-window.ts';

/** How many times as fast as it was. */
export const speeds = [1, 4, 16] as const;
export type Speed = (typeof speeds)[number];

/** The time of a recording that is looked at, and playing it. */
export interface Playback {
  /** Time of the recording, ms. */
  readonly at: Readonly<Ref<number>>;
  readonly isPlaying: Readonly<Ref<boolean>>;
  readonly speed: Ref<Speed>;
  /** Plays from here, or from the start if this is the end; or pauses. */
  readonly toggle: () => void;
  /** Goes to a time, as far as the recording has it. */
  readonly seek: (at: number) => void;
}

export function usePlayback({ from, to }: TimeWindow): Playback {
  const at = ref(from);
  const isPlaying = ref(false);
  const speed = ref<Speed>(1);
  let frame = 0;
  let drawnAt = 0;

  const seek = (wanted: number): void => void (at.value = Math.min(Math.max(wanted, from), to));

  function step(now: number): void {
    seek(at.value + (now - drawnAt) * speed.value);
    drawnAt = now;
    if (at.value < to) frame = requestAnimationFrame(step);
    else isPlaying.value = false;
  }

  function pause(): void {
    cancelAnimationFrame(frame);
    isPlaying.value = false;
  }

  onScopeDispose(pause);
  return {
    at,
    isPlaying,
    speed,
    seek,
    toggle() {
      if (isPlaying.value) return pause();
      if (at.value >= to) seek(from);
      isPlaying.value = true;
      drawnAt = performance.now();
      frame = requestAnimationFrame(step);
    },
  };
}
