import type { AnalogReading } from '../../../apis/board/types.ts';
import { sleep, type Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { hardwareErrorOf } from '../../../hardware/hardware-error.ts';
import type { Adc, Hardware } from '../../../hardware/hardware-types.ts';
import { placeOf, samplesPerSecondOf, type AnalogLocation } from './rules.ts';
import type { LinuxAnalogAttributes } from './attributes.ts';

/** Time limit for the first sample: longer than the slowest one takes, much shorter than callers wait. */
const FIRST_SAMPLE_MS = 500;
const POLL_MS = 2;

export interface LinuxAnalogsOptions {
  readonly board: string;
  readonly hardware: Pick<Hardware, 'openAdc'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A converter with all of its channels, sampled by one thread. */
interface Converter {
  readonly place: AnalogLocation;
  readonly analogs: LinuxAnalogAttributes[];
  adc: Adc | undefined;
  failure: ArmatureError | undefined;
}

/**
 * The analogs of a board: raw values from 0 to the converter's maximum. A missing converter does not affect the others,
 * and is retried.
 */
export class LinuxAnalogs {
  readonly #options: LinuxAnalogsOptions;
  readonly #converters = new Map<string, Converter>();
  readonly #byName = new Map<string, { readonly converter: Converter; readonly channel: number }>();

  constructor(options: LinuxAnalogsOptions, analogs: readonly LinuxAnalogAttributes[]) {
    this.#options = options;
    for (const analog of analogs) {
      const place = placeOf(analog);
      const key = `${place.device} ${place.address ?? ''}`;
      const converter = this.#converters.get(key) ?? { place, analogs: [], adc: undefined, failure: undefined };
      this.#converters.set(key, converter);
      converter.analogs.push(analog);
      this.#byName.set(analog.name, { converter, channel: place.channel });
    }
  }

  get isMissingSome(): boolean {
    return [...this.#converters.values()].some(({ adc }) => adc === undefined);
  }

  /** The errors of converters that cannot be sampled. */
  get failures(): readonly ArmatureError[] {
    return [...this.#converters.values()].flatMap(({ failure }) => failure ?? []);
  }

  /** Starts sampling on all converters that are not sampled yet. Each failure is reported once. */
  openAll(): void {
    for (const converter of this.#converters.values()) {
      if (converter.adc === undefined) this.#open(converter);
    }
  }

  /** @throws {ArmatureError} `call.not_found`, or the reason why there is no value now */
  async read(name: string, signal: AbortSignal | undefined): Promise<AnalogReading> {
    const analog = this.#byName.get(name);
    if (analog === undefined) throw this.#notFound(name);
    const { converter, channel } = analog;
    if (converter.adc === undefined) this.#open(converter);
    const { adc, failure } = converter;
    if (adc === undefined) throw failure ?? this.#notFound(name);
    try {
      const value = await this.#sample(adc, channel, signal);
      return { value: Math.round(value), min: 0, max: adc.max, step: 1 };
    } catch (thrown) {
      const error = hardwareErrorOf(this.#who(`analog "${name}"`), thrown);
      if (error.code === 'hardware.gone') this.#gone(converter, error);
      throw error;
    }
  }

  close(): void {
    for (const { adc } of this.#converters.values()) adc?.close();
    this.#converters.clear();
    this.#byName.clear();
  }

  /** The newest value; waits for the first one. */
  async #sample(adc: Adc, channel: number, signal: AbortSignal | undefined): Promise<number> {
    const { clock } = this.#options;
    const endMs = clock.monotonic() + FIRST_SAMPLE_MS;
    for (;;) {
      const { value, samples } = adc.read(channel);
      if (samples > 0) return value;
      if (signal?.aborted === true)
        throw new ArmatureError('call.cancelled', 'its caller left before the first sample.');
      if (clock.monotonic() >= endMs) {
        throw new ArmatureError(
          'hardware.failed',
          `its converter gave no sample in ${FIRST_SAMPLE_MS} ms. Check its bus.`,
        );
      }
      await sleep(clock, POLL_MS, signal);
    }
  }

  #open(converter: Converter): void {
    const { hardware, logger } = this.#options;
    const { place, analogs } = converter;
    const who = this.#who(`analog "${analogs.map(({ name }) => name).join('", "')}"`);
    try {
      converter.adc = hardware.openAdc({
        chip: place.chip,
        device: place.device,
        ...(place.address === undefined ? {} : { address: place.address }),
        channels: analogs.map((analog) => ({
          channel: placeOf(analog).channel,
          samplesPerSecond: samplesPerSecondOf(analog),
          averageOverMs: analog.average_over_ms ?? 0,
        })),
      });
      if (converter.failure !== undefined) logger.info(`${who}: ${place.device} is sampled again`);
      converter.failure = undefined;
    } catch (thrown) {
      const error = hardwareErrorOf(who, thrown);
      if (converter.failure?.message !== error.message) logger.warn(error.message);
      converter.failure = error;
    }
  }

  /** The device must be reopened when it is plugged in again. */
  #gone(converter: Converter, reason: ArmatureError): void {
    this.#options.logger.warn(reason.message);
    converter.adc?.close();
    converter.adc = undefined;
    converter.failure = reason;
  }

  #who(what: string): string {
    return `Board "${this.#options.board}", ${what}`;
  }

  #notFound(name: string): ArmatureError {
    const known = [...this.#byName.keys()];
    const allowed = known.length === 0 ? 'it has none' : `it has ${known.map((item) => `"${item}"`).join(', ')}`;
    return new ArmatureError('call.not_found', `Board "${this.#options.board}" has no analog "${name}"; ${allowed}.`, {
      details: { board: this.#options.board, found: name, allowed: known },
    });
  }
}
