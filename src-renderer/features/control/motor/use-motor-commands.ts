import { onBeforeUnmount, ref, shallowRef, watch, type Ref } from 'vue';
import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { useControlSwitch } from '../control-switch.ts';
import { HoldToRun } from './hold/hold-to-run.ts';
import { isInForce, signedRpmOf, type CommandPhase, type MotorAction, type MotorCommand } from './motor-command.ts';

/** A power that is seen this soon after our last command may still result from it. */
const OWN_POWER_MS = 700;
/** A motor may take this long to begin to move. */
const MAX_START_MS = 1_000;

/**
 * Sends commands to one motor, and keeps the state of the last one. Every command that moves is noted with the control
 * switch, which stops the motor when the person may be gone.
 */
export function useMotorCommands(fullName: string, mayMove: Readonly<Ref<boolean>>) {
  const motor = useMachine().resource(MotorServiceDefinition, fullName);
  const control = useControlSwitch();
  const command = shallowRef<MotorCommand>();
  const heldPower = ref(0);
  const holdFailure = ref('');
  /** The last thing that this card did was to stop the motor when a button was released. */
  const isReleased = ref(false);
  /** The current move. The answer of an earlier one is ignored. */
  let currentMove: AbortController | undefined;
  /** Every move without an answer, also a replaced one: it may still wait to be sent. */
  const unanswered = new Set<AbortController>();
  let lastCommandAt = 0;

  const hold = new HoldToRun(
    {
      setPower: async (power) => {
        control.noteMoved(fullName, halt);
        await motor.setPower({ powerPct: power });
      },
      stop: async () => {
        await motor.stop({});
        noteStopConfirmed();
        isReleased.value = !hold.isHeld && !isInForce(command.value);
      },
    },
    {
      onPower: (power) => {
        heldPower.value = power;
        lastCommandAt = Date.now();
      },
      onError: (reason) => (holdFailure.value = reason),
      onStopFailed: (reason) => {
        if (!isInForce(command.value)) reportFailedStop(reason);
      },
    },
  );
  const unsubscribeRelease = control.onRelease(() => hold.releaseAll());
  watch(mayMove, (may) => {
    if (may) return;
    hold.releaseAll();
    stopUnwatched();
  });
  onBeforeUnmount(() => {
    hold.releaseAll();
    unsubscribeRelease();
    stopUnwatched();
  });

  /** Stops an active command when this card can no longer watch over it. Where control went off, the switch does so. */
  function stopUnwatched(): void {
    if (control.isOn && isInForce(command.value)) halt().catch(() => undefined /* the switch retries and reports it */);
  }

  function begin(action: MotorAction, position?: number): MotorCommand {
    lastCommandAt = Date.now();
    holdFailure.value = '';
    isReleased.value = false;
    return (command.value = {
      action,
      phase: 'sent',
      sentAt: Date.now(),
      signedRpm: signedRpmOf(action, position),
    });
  }

  function end(phase: CommandPhase, reason?: string): void {
    lastCommandAt = Date.now();
    if (command.value === undefined) return;
    command.value = { ...command.value, phase, endedAt: Date.now(), ...(reason === undefined ? {} : { reason }) };
  }

  /** Marks the sent command as accepted: the machine answered, or the motor was seen to move. */
  function accept(): void {
    if (command.value?.phase === 'sent')
      command.value = { ...command.value, phase: 'accepted', acceptedAt: Date.now() };
  }

  /**
   * Ends a commanded speed where the motor stands still: something else has stopped it.
   * @param at when it was seen to stand still, by the clock of this page, ms
   */
  function noteStandstill(at: number): void {
    const last = command.value;
    if (last?.action.kind !== 'speed' || last.phase !== 'accepted') return;
    if (at - (last.acceptedAt ?? at) > MAX_START_MS) end('ended');
  }

  function press(holder: string, power: number): void {
    if (!mayMove.value || hold.isHeld) return;
    // The current move is not aborted: the stop that follows an abort would arrive after this power.
    currentMove = undefined;
    if (isInForce(command.value)) end('ended');
    holdFailure.value = '';
    isReleased.value = false;
    control.noteActivity();
    hold.press(holder, power);
  }

  /** @param position of the motor, revolutions; undefined where it is not known */
  async function move(action: MotorAction, position: number | undefined): Promise<void> {
    // The end of a hold stops the motor, and would stop this move too.
    if (!mayMove.value || hold.isHeld) return;
    control.noteActivity();
    if (action.kind === 'speed' && action.rpm === 0) {
      stop();
      return;
    }
    currentMove = undefined;
    if (isInForce(command.value)) end('ended');
    const own = new AbortController();
    currentMove = own;
    unanswered.add(own);
    begin(action, position);
    control.noteMoved(fullName, halt);
    try {
      await ask(action, own.signal);
      if (currentMove !== own) return;
      if (action.kind === 'speed') {
        accept();
        return;
      }
      currentMove = undefined;
      control.noteStopped(fullName);
      end('done');
    } catch (thrown) {
      if (currentMove !== own) return;
      currentMove = undefined;
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

  /** Makes the failed stop the last command: whether the move goes on is not known. */
  function reportFailedStop(reason: string): void {
    begin({ kind: 'stop' });
    end('failed', reason);
  }

  /** Aborts every move, also one that still waits to be sent, and stops the motor. */
  async function halt(): Promise<void> {
    const was = command.value;
    currentMove = undefined;
    for (const move of unanswered) move.abort();
    try {
      await motor.stop({});
    } catch (thrown) {
      if (command.value === was) reportFailedStop(messageOf(thrown));
      throw thrown;
    }
    noteStopConfirmed();
    if (currentMove === undefined && command.value === was && isInForce(was)) end('ended');
  }

  /** Notes a confirmed stop, unless something was commanded meanwhile that the stop does not cover. */
  function noteStopConfirmed(): void {
    if (currentMove === undefined && !hold.isHeld) control.noteStopped(fullName);
  }

  function stop(): void {
    // Whatever of this page is held: the hand at the gamepad must not start the motor again.
    control.releaseHeld();
    if (!isInForce(command.value)) {
      void sendShort({ kind: 'stop' });
      return;
    }
    halt().catch(() => undefined /* the card shows it */);
  }

  /** Sends a command that is done when it is answered. */
  async function sendShort(action: MotorAction): Promise<void> {
    const own = begin(action);
    try {
      await ask(action, new AbortController().signal);
      if (action.kind === 'stop') noteStopConfirmed();
      if (command.value === own) end('done');
    } catch (thrown) {
      if (command.value === own) end('failed', messageOf(thrown));
    }
  }

  return {
    command,
    heldPower,
    holdFailure,
    isReleased,
    press,
    change: (power: number) => hold.change(power),
    release: (holder: string) => hold.release(holder),
    move,
    stop,
    zero: () => {
      if (mayMove.value) void sendShort({ kind: 'zero' });
    },
    accept,
    noteStandstill,
    /** Notes that this page turns the motor by something other than a command of this card. */
    noteOwnMotion: () => void (lastCommandAt = Date.now()),
    /** Whether this page may have caused the current power. */
    isOurs: () =>
      heldPower.value !== 0 || Date.now() - lastCommandAt < OWN_POWER_MS || control.isMovedHere(fullName, OWN_POWER_MS),
  };
}

export type MotorCommands = ReturnType<typeof useMotorCommands>;
