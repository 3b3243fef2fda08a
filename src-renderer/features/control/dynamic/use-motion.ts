import { onBeforeUnmount } from 'vue';
import { useControlSwitch } from '../control-switch.ts';

/** Tracks the running calls of one card, and whether one of them may have set its resource in motion. */
export interface Motion {
  /** A call is sent. */
  began(call: AbortController, mayMove: boolean): void;
  ended(call: AbortController): void;
  /** The resource was stopped from this card. */
  stopped(): void;
}

/**
 * Cancels the calls of a card when control goes off or the card is removed, and stops its resource if one of them may
 * have moved it.
 */
export function useMotion(fullName: () => string, stopResource: () => Promise<void>): Motion {
  const control = useControlSwitch();
  const running = new Set<AbortController>();
  let mayMove = false;

  async function halt(): Promise<void> {
    for (const call of running) call.abort();
    if (!mayMove) return;
    await stopResource();
    mayMove = false;
    forgetIfStill();
  }

  function forgetIfStill(): void {
    if (running.size === 0 && !mayMove) control.noteStopped(fullName());
  }

  onBeforeUnmount(() => {
    // Where control is off, the switch has stopped the resource already.
    if (control.isOn) halt().catch(() => undefined /* the switch retries and reports it */);
    else for (const call of running) call.abort();
  });

  return {
    began(call, moves) {
      running.add(call);
      mayMove ||= moves;
      control.noteActivity();
      control.noteMoved(fullName(), halt);
    },
    ended(call) {
      running.delete(call);
      forgetIfStill();
    },
    stopped() {
      mayMove = false;
      forgetIfStill();
    },
  };
}
