import { ref, shallowRef } from 'vue';
import { BoardServiceDefinition } from '../../../../proto/gen/core/component/board/v1/board.ts';
import { formatNumber } from '../../../shared/format-number.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { shortName } from '../../../shared/machine/machine-view.ts';
import { useText } from '../../../shared/text.ts';
import { useControlSwitch } from '../control-switch.ts';
import { boardMessages } from './messages.ts';

/** The state of a pin as the board reported it, and when. */
export interface PinReading {
  readonly isHigh: boolean;
  /** 0 to 1. */
  readonly duty: number;
  readonly frequencyHz: number;
  /** Wall-clock time of this page, ms. */
  readonly at: number;
}

/** The last command to a pin, and its outcome. */
export interface PinCommand {
  readonly phase: 'sent' | 'done' | 'failed';
  readonly words: string;
  readonly reason: string;
  readonly sentAt: number;
  readonly tookMs: number;
}

/**
 * Reads and sets one pin. It is read only on demand, because on real hardware reading can turn an output into an input.
 * A pin that was set here goes low when control goes off.
 */
export function usePin(fullName: string, pin: string, maySet: () => boolean) {
  const t = useText(boardMessages);
  const board = useMachine().resource(BoardServiceDefinition, fullName);
  const control = useControlSwitch();
  const reading = shallowRef<PinReading>();
  const command = shallowRef<PinCommand>();
  /** How this page last drove the pin; undefined where it has not. */
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

  /** Sets something, then reads the pin back, so that the card shows what the board reports. */
  async function set(words: string, step: () => Promise<unknown>): Promise<void> {
    if (!maySet()) return;
    await attempt(words, async () => {
      await step();
      await readNow();
    });
  }

  /** Drives the pin. `makeSafe` is called when control goes off; undefined where the new state is safe already. */
  async function drive(step: () => Promise<unknown>, makeSafe: (() => Promise<unknown>) | undefined): Promise<void> {
    const name = t('board.named', { board: shortName(fullName), pin });
    if (makeSafe !== undefined) {
      control.noteMoved(name, async () => {
        await makeSafe();
        void readNow().catch(() => undefined /* the next read shows it */);
      });
    }
    await step();
    if (makeSafe === undefined) control.noteStopped(name);
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
        const makeSafe = percent === 0 ? undefined : () => board.setPWM({ pin, dutyCyclePct: 0 });
        await drive(() => board.setPWM({ pin, dutyCyclePct: percent / 100 }), makeSafe);
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
            const makeSafe = value === 0 ? undefined : () => board.writeAnalog({ pin, value: 0 });
            await drive(() => board.writeAnalog({ pin, value }), makeSafe);
            drivenAs.value = 'analog';
          })
        : Promise.resolve(),
  };
}

export type Pin = ReturnType<typeof usePin>;
