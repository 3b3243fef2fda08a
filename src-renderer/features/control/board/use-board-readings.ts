import { reactive, type Ref } from 'vue';
import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { BoardServiceDefinition } from '../../../../proto/gen/core/component/board/v1/board.ts';
import { poll, valueOf, type WatchRequest } from '../../../shared/machine/poll.ts';
import { useReadings, type LiveReading } from '../../../shared/machine/use-reading.ts';
import { PlotFeed } from '../../../shared/plot/plot-feed.ts';
import { pollHz } from '../pace.ts';
import { SlopeMeter } from '../../../shared/readings/slope-meter.ts';
import { analogOf } from '../../../shared/readings/analog-value.ts';
import type { BoardFacts } from '../../../shared/readings/board-facts.ts';

const { getDigitalInterruptValue, getGPIO, pWM, readAnalogReader } = BoardServiceDefinition.methods;

const analogHz = 5;
const drawnAnalogHz = 50;
const interruptHz = 10;
const pinHz = 5;
const rateWindowMs = 1_000;

/** The live values of a board over one stream: analogs, interrupts, and watched pins. */
export function useBoardReadings(
  resource: () => Resource,
  facts: Readonly<Ref<BoardFacts>>,
  isOnScreen: Readonly<Ref<boolean>>,
  isDrawn: (analog: string) => boolean,
  watchedPins: ReadonlySet<string>,
) {
  const feed = new PlotFeed();
  const meters = new Map<string, SlopeMeter>();
  /** Ticks per second, by interrupt. */
  const rates = reactive(new Map<string, number>());

  function requests(): readonly WatchRequest[] {
    const { state, name: fullName } = resource();
    if (state !== Resource_State.READY) return [];
    const common = (kind: string, part: string, hz: number) => ({
      id: `${kind} ${part}`,
      resource: fullName,
      frequencyHz: pollHz(hz, isOnScreen.value),
    });
    const analogs = facts.value.analogs.map((name) => {
      const request = { analogReaderName: name };
      return poll({
        ...common('analog', name, isDrawn(name) ? drawnAnalogHz : analogHz),
        method: readAnalogReader,
        request,
      });
    });
    const interrupts = facts.value.pins
      .filter(({ use }) => use === 'irq')
      .map(({ interrupt }) => {
        const request = { digitalInterruptName: interrupt };
        return poll({ ...common('interrupt', interrupt, interruptHz), method: getDigitalInterruptValue, request });
      });
    const pins = [...watchedPins].flatMap((pin) => [
      poll({ ...common('level', pin, pinHz), method: getGPIO, request: { pin } }),
      poll({ ...common('duty', pin, pinHz), method: pWM, request: { pin } }),
    ]);
    return [...analogs, ...interrupts, ...pins];
  }

  function take(reading: LiveReading): void {
    const { id, method, machineAt } = reading;
    const part = id.slice(id.indexOf(' ') + 1);
    if (method === readAnalogReader) {
      const value = valueOf(reading, readAnalogReader);
      if (value !== undefined) feed.take(reading);
      feed.add(part, reading, value && analogOf(value).shown);
    } else if (method === getDigitalInterruptValue) {
      const value = valueOf(reading, getDigitalInterruptValue)?.value;
      const meter = meters.get(part) ?? new SlopeMeter(rateWindowMs);
      meters.set(part, meter);
      const rate = value === undefined ? undefined : meter.add(machineAt, Number(value));
      if (value === undefined) meter.clear();
      if (rate === undefined) rates.delete(part);
      else if (Math.round(rate * 10) !== Math.round((rates.get(part) ?? -1) * 10)) rates.set(part, rate);
    }
  }

  const readings = useReadings(requests, take);
  const of = (kind: string, part: string): LiveReading | undefined => readings.value.get(`${kind} ${part}`);
  return {
    feed,
    rates,
    analog: (name: string) => of('analog', name),
    interrupt: (name: string) => of('interrupt', name),
    /** The latest reading of a watched pin; undefined before there is one. */
    pin: (pin: string) => {
      const [level, duty] = [of('level', pin), of('duty', pin)];
      const isHigh = valueOf(level, getGPIO)?.high;
      if (level === undefined || isHigh === undefined) return undefined;
      return { isHigh, duty: valueOf(duty, pWM)?.dutyCyclePct ?? 0, at: level.at };
    },
    pinError: (pin: string) => of('level', pin)?.error ?? '',
  };
}

export type BoardReadings = ReturnType<typeof useBoardReadings>;
