import { onBeforeUnmount, shallowRef, watch, type Ref } from 'vue';
import { ServoServiceDefinition } from '../../../../proto/gen/core/component/servo/v1/servo.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { useControlSwitch } from '../control-switch.ts';
import { ServoMover, type ServoCommand } from './servo-mover.ts';

/**
 * Sends commands to one servo, and keeps the outcome of the last one. A servo that was moved from this page is noted
 * with the control switch, which stops it when the person may be gone.
 */
export function useServoCommands(fullName: string, mayMove: Readonly<Ref<boolean>>) {
  const servo = useMachine().resource(ServoServiceDefinition, fullName);
  const control = useControlSwitch();
  const command = shallowRef<ServoCommand>();
  const mover = new ServoMover(
    {
      move: async (angleDeg) => {
        control.noteMoved(fullName, halt);
        await servo.move({ angleDeg });
      },
      stop: async () => {
        await servo.stop({});
        if (mover.isStopLast) control.noteStopped(fullName);
      },
    },
    (next) => (command.value = next),
  );
  const halt = (): Promise<void> => mover.stop();

  watch(mayMove, (may) => {
    if (!may) mover.dropWaiting();
  });
  onBeforeUnmount(() => mover.dropWaiting());

  /** Moves without counting as something that the person did: a key or a stick may be held, or stuck. */
  function turnTo(angleDeg: number): void {
    if (mayMove.value) mover.moveTo(angleDeg);
  }

  return {
    command,
    turnTo,
    dropWaiting: () => mover.dropWaiting(),
    move(angleDeg: number): void {
      if (mayMove.value) control.noteActivity();
      turnTo(angleDeg);
    },
    stop(): void {
      control.releaseHeld();
      halt().catch(() => undefined /* the card shows it */);
    },
  };
}
