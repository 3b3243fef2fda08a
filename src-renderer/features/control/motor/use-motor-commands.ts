import { onBeforeUnmount, ref, shallowRef, watch, type Ref } from 'vue';
import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { useControlSwitch } from '../control-switch.ts';
import { HoldToRun } from './hold/hold-to-run.ts';
import { isInForce, signedRpmOf, type CommandPhase, type MotorAction, type MotorCommand } from './motor-command.ts';

/** A power that is seen this long after our last word may still be of it. */
const ourLastWordMs = 700;
/** A motor may take this long to begin to move. */
const startingMs = 1_000;

/**
 * The commands of one motor, and what became of the last. Everything that moves
 * is noted with the control switch, which stops it when the person may be gone.
 */
export function useMotorCommands(fullName: string, mayMove: Readonly<Ref<boolean>>) {
  const motor = useMachine().resource(MotorServiceDefinition, fullName);
  const control = useControlSwitch();
  const command = shallowRef<MotorCommand>();
  const heldPower = ref(0);
  const holdFailure = ref('');
  /** The move that waits for its answer: only that one may say how it ended. */
  let going: AbortController | undefined;
  /** Every move that has no answer yet, also one that another took the place of: it may still wait to be sent. */
  const unanswered = new Set<AbortController>();
  let lastWordAt = 0;

  const hold = new HoldToRun(
    {
      setPower: async (power) => {
        control.noteMoved(fullName, halt);
        await motor.setPower({ powerPct: power });
      },
      stop: async () => {
        await motor.stop({});
        noteStill();
      },
    },
    {
      onPower: (power) => {
        heldPower.value = power;
        lastWordAt = Date.now();
      },
      onError: (reason) => (holdFailure.value = reason),
      onStopFailed: (reason) => {
        if (!isInForce(command.value)) failStop(reason);
      },
    },
  );
  const forgetHold = control.onRelease(() => hold.releaseAll());
  watch(mayMove, (may) => {
    if (may) return;
    hold.releaseAll();
    endUnseen();
  });
  onBeforeUnmount(() => {
    hold.releaseAll();
    forgetHold();
    endUnseen();
  });

  /** What this card set going and cannot answer for any more. Where control went off, the switch stops it. */
  function endUnseen(): void {
    if (control.isOn && isInForce(command.value)) halt().catch(() => undefined /* the switch tries on, and says so */);
  }

  function begin(action: MotorAction, position?: number): MotorCommand {
    lastWordAt = Date.now();
    holdFailure.value = '';
    return (command.value = {
      action,
      phase: 'sent',
      sentAt: Date.now(),
      signedRpm: signedRpmOf(action, position),
    });
  }

  function end(phase: CommandPhase, reason?: string): void {
    lastWordAt = Date.now();
    if (command.value === undefined) return;
    command.value = { ...command.value, phase, endedAt: Date.now(), ...(reason === undefined ? {} : { reason }) };
  }

  /** The machine answered, or the motor was seen to move. */
  function accept(): void {
    if (command.value?.phase === 'sent')
      command.value = { ...command.value, phase: 'accepted', acceptedAt: Date.now() };
  }

  /** The motor did not move at this time of the page: a speed that it was to hold has been ended elsewhere. */
  function seeStill(at: number): void {
    const last = command.value;
    if (last?.action.kind !== 'speed' || last.phase !== 'accepted') return;
    if (at - (last.acceptedAt ?? at) > startingMs) end('ended');
  }

  function press(holder: string, power: number): void {
    if (!mayMove.value || hold.isHeld) return;
    // Not aborted: the stop that follows an abort would come after the power of this.
    going = undefined;
    if (isInForce(command.value)) end('ended');
    holdFailure.value = '';
    control.noteActivity();
    hold.press(holder, power);
  }

  /** Moves; @param position where the motor is, revolutions */
  async function move(action: MotorAction, position: number | undefined): Promise<void> {
    // What is held stops when it is let go, and would stop this with it.
    if (!mayMove.value || hold.isHeld) return;
    control.noteActivity();
    if (action.kind === 'speed' && action.rpm === 0) {
      stop();
      return;
    }
    going = undefined;
    if (isInForce(command.value)) end('ended');
    const own = new AbortController();
    going = own;
    unanswered.add(own);
    begin(action, position);
    control.noteMoved(fullName, halt);
    try {
      await ask(action, own.signal);
      if (going !== own) return;
      if (action.kind === 'speed') {
        accept();
        return;
      }
      going = undefined;
      control.noteStopped(fullName);
      end('done');
    } catch (thrown) {
      if (going !== own) return;
      going = undefined;
      end('failed', messageOf(thrown));
    } finally {
      unanswered.delete(own);
    }
  }

  function ask(action: MotorAction, signal: AbortSignal): Promise<unknown> {
    switch (action.kind) {
      case 'for':
        return motor.goFor({ rpm: action.rpm, revolutions: action.revolutions }, { signal, untilDone: true });
      case 'to':
        return motor.goTo({ rpm: action.rpm, positionRevolutions: action.revolutions }, { signal, untilDone: true });
      case 'speed':
        return motor.setRPM({ rpm: action.rpm }, { signal });
      case 'zero':
        return motor.resetZeroPosition({ offset: 0 });
      case 'stop':
        return motor.stop({});
    }
  }

  /** Not of the move: whether that goes on is what nobody knows. */
  function failStop(reason: string): void {
    begin({ kind: 'stop' });
    end('failed', reason);
  }

  /** Ends every move, also one that still waits to be sent, and stops the motor. */
  async function halt(): Promise<void> {
    const was = command.value;
    going = undefined;
    for (const move of unanswered) move.abort();
    try {
      await motor.stop({});
    } catch (thrown) {
      if (command.value === was) failStop(messageOf(thrown));
      throw thrown;
    }
    noteStill();
    if (going === undefined && command.value === was && isInForce(was)) end('ended');
  }

  /** A stop was confirmed; what was asked for meanwhile is not covered by it. */
  function noteStill(): void {
    if (going === undefined && !hold.isHeld) control.noteStopped(fullName);
  }

  function stop(): void {
    hold.releaseAll();
    if (!isInForce(command.value)) {
      void short({ kind: 'stop' });
      return;
    }
    halt().catch(() => undefined /* the card shows it */);
  }

  /** Something that is done when it is answered. */
  async function short(action: MotorAction): Promise<void> {
    const own = begin(action);
    try {
      await ask(action, new AbortController().signal);
      if (action.kind === 'stop') noteStill();
      if (command.value === own) end('done');
    } catch (thrown) {
      if (command.value === own) end('failed', messageOf(thrown));
    }
  }

  return {
    command,
    heldPower,
    holdFailure,
    press,
    change: (power: number) => hold.change(power),
    release: (holder: string) => hold.release(holder),
    move,
    stop,
    zero: () => {
      if (mayMove.value) void short({ kind: 'zero' });
    },
    accept,
    seeStill,
    /** This page makes it turn in a way that is no command of this card. */
    noteOurs: () => void (lastWordAt = Date.now()),
    /** Whether the power that the motor has now may be this page's doing. */
    isOurs: () => heldPower.value !== 0 || Date.now() - lastWordAt < ourLastWordMs,
  };
}

export type MotorCommands = ReturnType<typeof useMotorCommands>;
