import type { Duration } from '../../proto/gen/google/protobuf/duration.ts';
import { parseDuration } from '../../proto/config/duration.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * An object of a configuration as the public ecosystem reads it: keys in any case; missing values and values of the
 * wrong type count as not set. The machine that runs the configuration reports its problems; here it is only passed on.
 */
export class LooseObject {
  readonly #values = new Map<string, unknown>();

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, one] of Object.entries(value)) this.#values.set(key.toLowerCase(), one);
  }

  has(key: string): boolean {
    return (this.#values.get(key) ?? null) !== null;
  }

  text(key: string): string {
    const value = this.#values.get(key);
    return typeof value === 'string' ? value : '';
  }

  flag(key: string): boolean {
    return this.#values.get(key) === true;
  }

  number(key: string): number {
    const value = this.#values.get(key);
    return typeof value === 'number' && Number.isFinite(value) ? value : 0;
  }

  integer(key: string): number {
    const value = this.number(key);
    return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : 0;
  }

  texts(key: string): string[] {
    const value = this.#values.get(key);
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  }

  textMap(key: string): Record<string, string> {
    const entries = Object.entries(this.struct(key) ?? {});
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  }

  object(key: string): LooseObject {
    return new LooseObject(this.#values.get(key));
  }

  /** Unchanged, with keys in their own case. */
  struct(key: string): Json | undefined {
    const value = this.#values.get(key);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  }

  /** The entries of a list that are objects. */
  objects(key: string): LooseObject[] {
    const value = this.#values.get(key);
    if (!Array.isArray(value)) return [];
    const objects = value.filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
    return objects.map((one) => new LooseObject(one));
  }

  /** From a duration in Go's notation, or from nanoseconds, which Go also reads. */
  duration(key: string): Duration | undefined {
    const value = this.#values.get(key);
    const ms = typeof value === 'string' ? parseDuration(value) : typeof value === 'number' ? value / 1e6 : undefined;
    if (ms === undefined) return undefined;
    const seconds = Math.trunc(ms / 1_000);
    return { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1_000) * 1e6) };
  }
}
