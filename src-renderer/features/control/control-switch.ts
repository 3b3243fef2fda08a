import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, watch } from 'vue';
import { messageOf } from '../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../shared/machine/machine.ts';
import { useFleet } from '../../shared/stores/fleet.ts';
import { useConnection } from '../../shared/stores/connection.ts';
import { useStopAll } from '../../shared/stores/stop-all.ts';

/** Why control was switched off. */
export type OffReason = 'left' | 'hidden' | 'link' | 'session' | 'idle' | 'user';

const IDLE_TIMEOUT_MS = 5 * 60_000;

/**
 * Whether this page may move anything. Off at the start, and switched off whenever the person may be gone; everything
 * that was set in motion from this page is stopped then.
 */
export const useControlSwitch = defineStore('control-switch', () => {
  const machine = useMachine();
  const connection = useConnection();
  const stopAll = useStopAll();
  const fleet = useFleet();
  const canSwitchOn = computed(() => connection.isConnected && !fleet.isAway);
  const isOn = ref(false);
  const offReason = ref<OffReason>();
  const stopFailure = ref<{ name: string; reason: string }>();
  /** How to stop what this page has set in motion (motors, pins), by name; removed once stopped. */
  const moved = new Map<string, () => Promise<void>>();
  /** When this page last set something in motion or stopped it, by name; by the clock of this page, ms. */
  const movedAt = new Map<string, number>();
  const releases = new Set<() => void>();
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  function noteActivity(): void {
    clearTimeout(idleTimer);
    if (isOn.value) idleTimer = setTimeout(() => switchOff('idle'), IDLE_TIMEOUT_MS);
  }

  function switchOn(): void {
    if (!canSwitchOn.value) return;
    isOn.value = true;
    offReason.value = undefined;
    stopFailure.value = undefined;
    noteActivity();
  }

  function switchOff(reason: OffReason): void {
    releaseHeld();
    stopMoved();
    if (!isOn.value) return;
    isOn.value = false;
    offReason.value = reason;
    clearTimeout(idleTimer);
  }

  function stopMoved(): void {
    for (const [name, stop] of moved) {
      movedAt.set(name, Date.now());
      void stopOne(name, stop);
    }
    moved.clear();
  }

  async function stopOne(name: string, stop: () => Promise<void>): Promise<void> {
    try {
      await stop();
      clearFailure(name);
    } catch (thrown) {
      // Kept for the next attempt: when the connection is back, or when the person presses again.
      if (!moved.has(name)) moved.set(name, stop);
      // Without a connection the machine ends the session and stops everything by itself.
      if (connection.isConnected) stopFailure.value = { name, reason: messageOf(thrown) };
    }
  }

  /** Clears the failed stop of `name`: it has stopped, whichever attempt worked. */
  function clearFailure(name: string): void {
    if (stopFailure.value?.name === name) stopFailure.value = undefined;
  }

  function noteMoved(name: string, stop: () => Promise<void>): void {
    moved.set(name, stop);
    movedAt.set(name, Date.now());
  }

  function noteStopped(name: string): void {
    moved.delete(name);
    movedAt.set(name, Date.now());
    clearFailure(name);
  }

  /** Releases everything that is held by a pointer or a key. */
  function releaseHeld(): void {
    for (const release of releases) release();
  }

  /** Registers a listener that releases what can be held; returns an unsubscribe function. */
  function onRelease(release: () => void): () => void {
    releases.add(release);
    return () => releases.delete(release);
  }

  watch(
    () => fleet.isAway,
    (isAway) => {
      if (isAway) switchOff('link');
    },
  );
  watch(
    () => connection.isConnected,
    (isConnected) => {
      if (isConnected) stopMoved();
      else switchOff('link');
    },
  );
  watch(
    () => stopAll.presses,
    () => {
      releaseHeld();
      // The machine stops motors and pins itself; this is a second attempt for a stop that fails there.
      stopMoved();
    },
  );

  const onHidden = (): void => {
    if (document.visibilityState === 'hidden') switchOff('hidden');
  };
  const onPageHide = (): void => switchOff('hidden');
  document.addEventListener('visibilitychange', onHidden);
  window.addEventListener('pagehide', onPageHide);
  window.addEventListener('blur', releaseHeld);
  const ignoreExpiry = machine.onSessionExpired(() => switchOff('session'));
  onScopeDispose(() => {
    ignoreExpiry();
    document.removeEventListener('visibilitychange', onHidden);
    window.removeEventListener('pagehide', onPageHide);
    window.removeEventListener('blur', releaseHeld);
    clearTimeout(idleTimer);
  });

  return {
    isOn,
    offReason,
    stopFailure,
    canSwitchOn,
    switchOn,
    switchOff,
    noteActivity,
    releaseHeld,
    onRelease,
    /** Notes that this page sets `name` in motion; `stop` is called when control goes off and with every Stop all. */
    noteMoved,
    noteStopped,
    /** Whether this page has set `name` in motion: it still is, or was stopped less than `ms` ago. */
    isMovedHere: (name: string, ms: number): boolean =>
      moved.has(name) || Date.now() - (movedAt.get(name) ?? Number.NEGATIVE_INFINITY) < ms,
  };
});
