import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { JsonObject, JsonValue } from '../../../apis/resource.ts';
import type { Sensor } from '../../../apis/sensor.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { checkFakeSensor, isWaveLike, type Wave } from './schema.ts';

const DEFAULT_READINGS: JsonObject = { a: 1, b: 2, c: 3 };
const DEFAULT_PERIOD_MS = 1_000;

/**
 * The value of a wave at a wall-clock time, so that a rebuilt sensor continues where it was.
 * Every wave starts its period at its lowest value except `sine`, which starts in the middle, rising.
 */
export function waveValue(wave: Wave, nowMs: number): number | boolean {
  const period = wave.period_ms ?? DEFAULT_PERIOD_MS;
  const phase = (nowMs % period) / period;
  const min = wave.min ?? 0;
  const max = wave.max ?? 1;
  switch (wave.wave) {
    case 'sine':
      return (min + max) / 2 + ((max - min) / 2) * Math.sin(2 * Math.PI * phase);
    case 'ramp':
      return min + (max - min) * phase;
    case 'toggle':
      if (wave.min === undefined && wave.max === undefined) return phase >= 0.5;
      return phase >= 0.5 ? max : min;
  }
}

/** Sensor model `fake`: readings as configured, with waves; DoCommand sets values. */
export class FakeSensor implements Sensor, BuiltResource {
  readonly name: string;
  readonly #clock: Clock;
  #configured: JsonValue;
  #overrides: JsonObject = {};

  constructor(name: string, attributes: JsonObject, clock: Clock) {
    this.name = name;
    this.#clock = clock;
    this.#configured = configuredReadings(attributes);
  }

  async readings(): Promise<JsonObject | null> {
    const hasOverrides = Object.keys(this.#overrides).length > 0;
    const configured = this.#configured;
    if (configured === null && !hasOverrides) return null;
    const now = this.#clock.now();
    const base = isObject(configured) && !isWaveLike(configured) ? configured : { value: configured };
    return at({ ...(configured === null ? {} : base), ...this.#overrides }, now) as JsonObject;
  }

  /**
   * `{"set": {"humidity": 55}}` overrides configured readings, including waves; `{"clear": ["humidity"]}` or `{"clear":
   * true}` removes the overrides.
   */
  async doCommand(command: JsonObject): Promise<JsonObject> {
    const { set, clear } = command;
    const isClear = clear === true || (Array.isArray(clear) && clear.every((key) => typeof key === 'string'));
    if ((set === undefined && !isClear) || (set !== undefined && !isObject(set))) {
      throw new ArmatureError(
        'call.bad_argument',
        `Sensor "${this.name}" knows the commands {"set": {"name": value}} and {"clear": ["name"] or true}.`,
      );
    }
    const problem = set === undefined ? undefined : checkFakeSensor({ readings: set })[0];
    if (problem !== undefined) {
      throw new ArmatureError('call.bad_argument', `Sensor "${this.name}", ${problem.pointer}: ${problem.message}`);
    }
    if (clear === true) this.#overrides = {};
    else if (Array.isArray(clear)) for (const key of clear) delete this.#overrides[key as string];
    // Spread, not assigned, because a reading may have any name, even `__proto__`.
    this.#overrides = { ...this.#overrides, ...(isObject(set) ? set : {}) };
    return { set: this.#overrides };
  }

  /** Values set by DoCommand are kept. */
  reconfigure(attributes: JsonObject): Promise<void> {
    this.#configured = configuredReadings(attributes);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function configuredReadings(attributes: JsonObject): JsonValue {
  const { readings } = attributes;
  return readings === undefined ? DEFAULT_READINGS : readings;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value with its waves replaced by their values at a time. */
function at(value: JsonValue, nowMs: number): JsonValue {
  if (Array.isArray(value)) return value.map((item) => at(item, nowMs));
  if (isWaveLike(value)) return waveValue(value as unknown as Wave, nowMs);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, at(item, nowMs)]));
}

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  return new FakeSensor(context.name, context.attributes, context.clock);
}
