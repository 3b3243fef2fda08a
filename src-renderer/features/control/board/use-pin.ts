import { ref, shallowRef } from 'vue';
import { formatNumber } from '../../../shared/format-number.ts';
import { messageOf } from '../../../shared/machine/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { shortName } from '../../../shared/machine/machine-view.ts';
import { useText } from '../../../shared/text.ts';
import { useControlSwitch } from '../control-switch.ts';

/** What a board said about a pin, and when. */
export interface PinReading {
  readonly isHigh: boolean;
  /** 0 to 1. */
  readonly duty: number;
  readonly frequencyHz: number;
  /** Wall-clock time of this page, ms. */
  readonly at: number;
}

/** What became of the last thing asked of a pin. */
export interface PinCommand {
  readonly phase: 'sent' | 'done' | 'failed';
  readonly words: string;
  readonly reason: string;
  readonly sentAt: number;
  readonly tookMs: number;
}

/**
 * One pin: read when asked only, because on real hardware reading can turn an
 * output into an input. What is set here goes low when control goes off.
 */
export function usePin(board: string, pin: string, maySet: () => boolean) {
  const t = useText();
  const machine = useMachine();
  const control = useControlSwitch();
  const reading = shallowRef<PinReading>();
  const command = shallowRef<PinCommand>();
  /** How the pin was driven last from here. */
  const drivenAs = ref<'out' | 'pwm' | 'analog'>();
  const calls = machine.board;

  async function attempt(words: string, step: () => Promise<void>): Promise<void> {
    control.touched();
    const sent: PinCommand = { phase: 'sent', words, reason: '', sentAt: Date.now(), tookMs: 0 };
    command.value = sent;
    const end = (phase: PinCommand['phase'], reason: string): void => {
      if (command.value === sent) command.value = { ...sent, phase, reason, tookMs: Date.now() - sent.sentAt };
    };
    try {
      await step();
      end('done', '');
    } catch (thrown) {
      end('failed', messageOf(thrown));
    }
  }

  async function readNow(): Promise<void> {
    const isHigh = await calls.readPin(board, pin);
    const duty = await calls.readDuty(board, pin);
    const frequencyHz = await calls.readFrequency(board, pin);
    reading.value = { isHigh, duty, frequencyHz, at: Date.now() };
  }

  /** Sets something, then reads the pin back: what is shown is what the board says. */
  async function set(words: string, step: () => Promise<void>): Promise<void> {
    if (!maySet()) return;
    await attempt(words, async () => {
      await step();
      await readNow();
    });
  }

  /** Drives the pin; `rest` makes it safe again when control goes off, and is undefined where it is safe as it is. */
  async function drive(step: () => Promise<void>, rest: (() => Promise<void>) | undefined): Promise<void> {
    const name = t('board.named', { board: shortName(board), pin });
    if (rest !== undefined) {
      control.noteMoved(name, async () => {
        await rest();
        void readNow().catch(() => undefined /* it is shown when it is read next */);
      });
    }
    await step();
    if (rest === undefined) control.noteStopped(name);
  }

  return {
    reading,
    command,
    drivenAs,
    read: () => attempt(t('board.words.read'), readNow),
    setLevel: (isHigh: boolean) =>
      set(t(isHigh ? 'board.words.high' : 'board.words.low'), async () => {
        await drive(
          () => calls.writePin(board, pin, isHigh),
          isHigh ? () => calls.writePin(board, pin, false) : undefined,
        );
        drivenAs.value = 'out';
      }),
    setDuty: (percent: number) =>
      set(t('board.words.duty', { percent: formatNumber(percent) }), async () => {
        const rest = percent === 0 ? undefined : () => calls.writeDuty(board, pin, 0);
        await drive(() => calls.writeDuty(board, pin, percent / 100), rest);
        drivenAs.value = 'pwm';
      }),
    setFrequency: (frequencyHz: number) =>
      set(t('board.words.frequency', { hertz: formatNumber(frequencyHz) }), () =>
        calls.writeFrequency(board, pin, frequencyHz),
      ),
    /** Not read back: an analog output has no pin to read. */
    setAnalog: (value: number) =>
      maySet()
        ? attempt(t('board.words.analog', { value: formatNumber(value) }), async () => {
            const rest = value === 0 ? undefined : () => calls.writeAnalog(board, pin, 0);
            await drive(() => calls.writeAnalog(board, pin, value), rest);
            drivenAs.value = 'analog';
          })
        : Promise.resolve(),
  };
}

export type Pin = ReturnType<typeof usePin>;
