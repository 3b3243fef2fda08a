import { onBeforeUnmount, ref, shallowRef } from 'vue';
import { MotorServiceDefinition } from '../../../../../proto/gen/core/component/motor/v1/motor.ts';
import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../../shared/machine/machine.ts';
import { useMotion } from '../../dynamic/use-motion.ts';
import { readProgress, readTuning, type TuningAnswer, type TuningProgress } from './tuning-answer.ts';

/** Pause between two polls of the progress. */
const POLL_PAUSE_MS = 200;

export interface TuningRequest {
  /** Share of full power. */
  readonly power: number;
  readonly maxRevolutions: number;
}

/**
 * Measures one motor. Like any move, the measurement ends when control goes off or the card is removed.
 * @param onTurning called with every poll while the motor turns
 */
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

  /** Polls the progress. The next poll waits for the response, so that a slow connection never has two. */
  function pollProgress(own: AbortController): void {
    onTurning();
    timer = setTimeout(() => {
      ask({ get_tuning: true }, own.signal)
        .then((response) => {
          if (running === own) progress.value = readProgress(response) ?? progress.value;
        })
        .catch(() => undefined /* the call of the measurement reports the error */)
        .finally(() => {
          if (running === own) pollProgress(own);
        });
    }, POLL_PAUSE_MS);
  }

  async function start({ power, maxRevolutions }: TuningRequest): Promise<void> {
    if (isRunning.value) return;
    const own = new AbortController();
    running = own;
    isRunning.value = true;
    answer.value = undefined;
    progress.value = undefined;
    failure.value = stopFailure.value = '';
    motion.began(own, true);
    pollProgress(own);
    try {
      const response = await ask({ tune: { power_pct: power, max_revolutions: maxRevolutions } }, own.signal);
      answer.value = readTuning(response);
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

  /** Stops the motor at once; the machine then ends the measurement. */
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
