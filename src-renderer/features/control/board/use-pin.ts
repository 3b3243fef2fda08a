import { ref, shallowRef } from 'vue';
import { BoardServiceDefinition } from '../../../../proto/gen/core/component/board/v1/board.ts';
import { formatNumber } from '../../../shared/format-number.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { shortName } from '../../../shared/machine/machine-view.ts';
import { useText } from '../../../shared/text.ts';
import { useControlSwitch } from '../control-switch.ts';
import { boardMessages } from './messages.ts';

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
export function usePin(fullName: string, pin: string, maySet: () => boolean) {
  const t = useText(boardMessages);
  const board = useMachine().resource(BoardServiceDefinition, fullName);
  const control = useControlSwitch();
  const reading = shallowRef<PinReading>();
  const command = shallowRef<PinCommand>();
  /** How the pin was driven last from here. */
  const drivenAs = ref<'out' | 'pwm' | 'analog'>();

  async function attempt(words: string, step: () => Promise<unknown>): Promise<void> {
    control.noteActivity();
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
    const { high } = await board.getGPIO({ pin });
    const { dutyCyclePct } = await board.pWM({ pin });
    const { frequencyHz } = await board.pWMFrequency({ pin });
    reading.value = { isHigh: high, duty: dutyCyclePct, frequencyHz: Number(frequencyHz), at: Date.now() };
  }

  /** Sets something, then reads the pin back: what is shown is what the board says. */
  async function set(words: string, step: () => Promise<unknown>): Promise<void> {
    if (!maySet()) return;
    await attempt(words, async () => {
      await step();
      await readNow();
    });
  }

  /** Drives the pin; `rest` makes it safe again when control goes off, and is undefined where it is safe as it is. */
  async function drive(step: () => Promise<unknown>, rest: (() => Promise<unknown>) | undefined): Promise<void> {
    const name = t('board.named', { board: shortName(fullName), pin });
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
          () => board.setGPIO({ pin, high: isHigh }),
          isHigh ? () => board.setGPIO({ pin, high: false }) : undefined,
        );
        drivenAs.value = 'out';
      }),
    setDuty: (percent: number) =>
      set(t('board.words.duty', { percent: formatNumber(percent) }), async () => {
        const rest = percent === 0 ? undefined : () => board.setPWM({ pin, dutyCyclePct: 0 });
        await drive(() => board.setPWM({ pin, dutyCyclePct: percent / 100 }), rest);
        drivenAs.value = 'pwm';
      }),
    setFrequency: (frequencyHz: number) =>
      set(t('board.words.frequency', { hertz: formatNumber(frequencyHz) }), () =>
        board.setPWMFrequency({ pin, frequencyHz: BigInt(Math.round(frequencyHz)) }),
      ),
    /** Not read back: an analog output has no pin to read. */
    setAnalog: (value: number) =>
      maySet()
        ? attempt(t('board.words.analog', { value: formatNumber(value) }), async () => {
            const rest = value === 0 ? undefined : () => board.writeAnalog({ pin, value: 0 });
            await drive(() => board.writeAnalog({ pin, value }), rest);
            drivenAs.value = 'analog';
          })
        : Promise.resolve(),
  };
}

export type Pin = ReturnType<typeof usePin>;
