import { onScopeDispose, ref, shallowRef, watch } from 'vue';
import { useControlSwitch } from '../control-switch.ts';
import type { DriveChoices } from './choices/drive-choices.ts';
import type { DriveEnd, DrivePhase, Holder } from './drive-hold.ts';
import { DriveRun, type DriveOutput } from './drive-run.ts';
import type { Pad } from './input/pad-watch.ts';
import { useCapture } from './use-capture.ts';
import { useDriveProblem } from './use-drive-problem.ts';

/** How often gamepad and focus are looked at. A timer: the browser leaves frames out where it draws nothing. */
const LOOK_EVERY_MS = 25;

/** Drives the chosen motors and servos while something is held, and stops them however that ends. */
export function useDrive(choices: () => DriveChoices) {
  const control = useControlSwitch();
  const capture = useCapture();
  const { problem, lookAtFocus } = useDriveProblem(choices, () => capture.waiting.value);
  const run = new DriveRun(choices);
  const pad = shallowRef<Pad>();
  const phase = ref<DrivePhase>('idle');
  const by = ref<Holder>();
  const spent = ref<Holder>();
  const lastEnd = ref<DriveEnd>();
  const refusal = shallowRef<{ readonly name: string; readonly reason: string }>();
  let padChanges = run.padChanges;

  function look(): void {
    lookAtFocus();
    run.readPads(readPads());
    pad.value = run.pad;
    if (run.padChanges !== padChanges) control.noteActivity();
    padChanges = run.padChanges;
    capture.look(run.pad);
    run.step(performance.now(), problem.value !== undefined);
    show();
  }

  function show(): void {
    const { hold } = run;
    phase.value = hold.phase;
    by.value = hold.by;
    spent.value = hold.spent;
    lastEnd.value = hold.lastEnd;
  }

  function end(why: DriveEnd): void {
    run.end(why);
    show();
  }

  const forget = control.onRelease(() => {
    run.releaseKeys();
    end('interrupted');
  });
  watch(choices, () => end('changed'), { flush: 'sync' });
  watch(
    problem,
    (now) => {
      if (now !== undefined && run.hold.by !== undefined) end('blocked');
    },
    { flush: 'sync' },
  );
  const listeners = new AbortController();
  for (const name of ['gamepadconnected', 'gamepaddisconnected'] as const) {
    const onPlug = ({ gamepad }: GamepadEvent): void => {
      run.replug(gamepad.index);
      look();
    };
    window.addEventListener(name, onPlug, { signal: listeners.signal });
  }
  const timer = setInterval(look, LOOK_EVERY_MS);
  onScopeDispose(() => {
    clearInterval(timer);
    listeners.abort();
    forget();
    end('interrupted');
  });

  return {
    pad,
    phase,
    /** Who drives, or will when the sticks are in the middle. */
    by,
    /** What must be let go before it counts again. */
    spent,
    lastEnd,
    refusal,
    problem,
    capture,
    /** Adds a motor or a servo by full name; returns what removes it. */
    add: (name: string, output: DriveOutput): (() => void) => run.add(name, output),
    /** The machine refused to drive `name`. */
    refused(name: string, reason: string): void {
      refusal.value = { name, reason };
      end('refused');
    },
    pressKey(code: string): void {
      run.pressKey(code);
      look();
    },
    releaseKey(code: string): void {
      run.releaseKey(code);
      look();
    },
    /** Forgets every key: what is still down must be pressed again. */
    letKeysGo(): void {
      run.releaseKeys();
      look();
    },
  };
}

export type Drive = ReturnType<typeof useDrive>;

function readPads(): readonly (Gamepad | null)[] {
  try {
    return navigator.getGamepads();
  } catch {
    // A browser may forbid gamepads to a page: then there are none.
    return [];
  }
}
