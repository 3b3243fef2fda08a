import { onBeforeUnmount, ref, shallowRef } from 'vue';
import { MotorServiceDefinition } from '../../../../../proto/gen/core/component/motor/v1/motor.ts';
import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../../shared/machine/machine.ts';
import { useMotion } from '../../dynamic/use-motion.ts';
import { readProgress, readTuning, type TuningAnswer, type TuningProgress } from './tuning-answer.ts';

/** How often the machine is asked how far it is. */
const askEveryMs = 200;

export interface TuningWish {
  /** Share of full power. */
  readonly power: number;
  readonly maxRevolutions: number;
}

/** The measurement of one motor: as any move, it ends when control goes off or its card goes. */
export function useTuning(fullName: string, onTurning: () => void) {
  const motor = useMachine().resource(MotorServiceDefinition, fullName);
  const motion = useMotion(
    () => fullName,
    async () => void (await motor.stop({})),
  );
  const answer = shallowRef<TuningAnswer>();
  const progress = shallowRef<TuningProgress>();
  const failure = ref('');
  const stopFailure = ref('');
  const isRunning = ref(false);
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function ask(command: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>> {
    return (await motor.doCommand({ command }, { signal, untilDone: true })).result ?? {};
  }

  /** The next question waits for the answer: a slow link is not asked twice. */
  function follow(own: AbortController): void {
    onTurning();
    timer = setTimeout(() => {
      ask({ get_tuning: true }, own.signal)
        .then((told) => {
          if (running === own) progress.value = readProgress(told) ?? progress.value;
        })
        .catch(() => undefined /* the measurement itself says what went wrong */)
        .finally(() => {
          if (running === own) follow(own);
        });
    }, askEveryMs);
  }

  async function start({ power, maxRevolutions }: TuningWish): Promise<void> {
    if (isRunning.value) return;
    const own = new AbortController();
    running = own;
    isRunning.value = true;
    answer.value = undefined;
    progress.value = undefined;
    failure.value = stopFailure.value = '';
    motion.began(own, true);
    follow(own);
    try {
      const told = await ask({ tune: { power_pct: power, max_revolutions: maxRevolutions } }, own.signal);
      answer.value = readTuning(told);
      motion.stopped();
    } catch (thrown) {
      failure.value = messageOf(thrown);
    }
    clearTimeout(timer);
    running = undefined;
    isRunning.value = false;
    progress.value = undefined;
    motion.ended(own);
  }

  /** Goes past whatever is under way: the machine ends the measurement when it stops the motor. */
  async function stop(): Promise<void> {
    stopFailure.value = '';
    try {
      await motor.stop({});
      motion.stopped();
    } catch (thrown) {
      stopFailure.value = messageOf(thrown);
    }
  }

  onBeforeUnmount(() => clearTimeout(timer));
  return { answer, progress, failure, stopFailure, isRunning, start, stop };
}
