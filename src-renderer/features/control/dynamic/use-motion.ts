import { onBeforeUnmount } from 'vue';
import { useControlSwitch } from '../control-switch.ts';

/** The calls of one card that are under way, and whether one of them may have set its resource in motion. */
export interface Motion {
  /** A call goes out. */
  began(call: AbortController, mayMove: boolean): void;
  ended(call: AbortController): void;
  /** The resource was stopped from this card. */
  stopped(): void;
}

/**
 * When control goes off or the card goes, its calls are cancelled, and its
 * resource is stopped where one of them may have moved it.
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
    // Where control went off, the switch has halted it.
    if (control.isOn) halt().catch(() => undefined /* the switch tries on, and says so */);
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
