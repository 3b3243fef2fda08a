import { reactive, type Ref } from 'vue';
import type { ResourceView, WatchRequest } from '../../../shared/machine/machine-view.ts';
import { useReadings, type LiveReading } from '../../../shared/machine/use-reading.ts';
import { PlotFeed } from '../../../shared/plot/plot-feed.ts';
import { paceOf } from '../pace.ts';
import { SlopeMeter } from '../slope-meter.ts';
import { analogOf } from './analog-value.ts';
import type { BoardFacts } from './board-facts.ts';

const analogHz = 5;
const drawnAnalogHz = 50;
const interruptHz = 10;
const pinHz = 5;
const rateWindowMs = 1_000;

/** Everything of a board that is live, over one stream: analogs, interrupts, and the pins that are watched. */
export function useBoardReadings(
  resource: () => ResourceView,
  facts: Readonly<Ref<BoardFacts>>,
  isOnScreen: Readonly<Ref<boolean>>,
  isDrawn: (analog: string) => boolean,
  watchedPins: ReadonlySet<string>,
) {
  const feed = new PlotFeed();
  const meters = new Map<string, SlopeMeter>();
  /** Ticks a second, by interrupt. */
  const rates = reactive(new Map<string, number>());

  function requests(): readonly WatchRequest[] {
    const { state, fullName } = resource();
    if (state !== 'ready') return [];
    const item = (kind: string, method: WatchRequest['method'], part: string, hz: number): WatchRequest => ({
      id: `${kind} ${part}`,
      resource: fullName,
      method,
      part,
      frequencyHz: paceOf(hz, isOnScreen.value),
    });
    return [
      ...facts.value.analogs.map((name) =>
        item('analog', 'board.ReadAnalogReader', name, isDrawn(name) ? drawnAnalogHz : analogHz),
      ),
      ...facts.value.pins
        .filter(({ use }) => use === 'irq')
        .map(({ interrupt }) => item('interrupt', 'board.GetDigitalInterruptValue', interrupt, interruptHz)),
      ...[...watchedPins].flatMap((pin) => [
        item('level', 'board.GetGPIO', pin, pinHz),
        item('duty', 'board.PWM', pin, pinHz),
      ]),
    ];
  }

  function take(reading: LiveReading): void {
    const { id, value, machineAt } = reading;
    const space = id.indexOf(' ');
    const [kind, part] = [id.slice(0, space), id.slice(space + 1)];
    if (kind === 'analog') {
      if (value !== undefined) feed.take(reading);
      feed.add(part, reading, value === undefined ? undefined : analogOf(value)?.shown);
    } else if (kind === 'interrupt') {
      const meter = meters.get(part) ?? new SlopeMeter(rateWindowMs);
      meters.set(part, meter);
      const rate = value?.value === undefined ? undefined : meter.add(machineAt, value.value);
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
    /** A watched pin. */
    pin: (pin: string) => {
      const [level, duty] = [of('level', pin), of('duty', pin)];
      if (level?.value?.isHigh === undefined) return undefined;
      return { isHigh: level.value.isHigh, duty: duty?.value?.duty ?? 0, at: level.at };
    },
    pinError: (pin: string) => of('level', pin)?.error ?? '',
  };
}

export type BoardReadings = ReturnType<typeof useBoardReadings>;
