import { shallowRef } from 'vue';
import { capturedAxis, capturedButton, type CapturedAxis } from './input/capture.ts';
import type { Pad } from './input/pad-watch.ts';

/** What waits for a stick or a button, and is given it. */
export type Capture = { /** Which choice waits. */ readonly id: string } & (
  | { readonly kind: 'axis'; readonly take: (axis: CapturedAxis) => void }
  | { readonly kind: 'button'; readonly take: (button: number) => void }
);

/** Chooses a stick or a button by moving or pressing it. */
export function useCapture() {
  const waiting = shallowRef<Capture>();
  let before: Pad | undefined;

  function cancel(): void {
    waiting.value = undefined;
  }

  return {
    waiting,
    cancel,
    /** Begins to wait; the same choice again stops waiting. */
    begin(capture: Capture): void {
      const isAgain = waiting.value?.id === capture.id;
      before = undefined;
      waiting.value = isAgain ? undefined : capture;
    },
    /** @param pad as it is now; undefined ends the wait */
    look(pad: Pad | undefined): void {
      const capture = waiting.value;
      if (capture === undefined) return;
      if (pad === undefined) return cancel();
      if (before?.id !== pad.id) before = pad;
      const found = capture.kind === 'axis' ? capturedAxis(before, pad) : capturedButton(before, pad);
      if (found === undefined) return;
      cancel();
      // The kinds of what is captured and of who waits are the same: the compiler cannot see that.
      (capture.take as (found: CapturedAxis | number) => void)(found);
    },
  };
}
