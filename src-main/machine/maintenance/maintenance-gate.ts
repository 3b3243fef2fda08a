import { shortNameOf } from '../../../proto/config/names.ts';
import type { Clock } from '../../base/clock.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import type { MachineConfig } from '../config/machine-config.ts';
import { formatSeconds } from '../graph/description.ts';
import { reasonOf } from '../graph/reason-of.ts';

/** The reading that says whether maintenance is allowed. */
export type MaintenanceWindow = NonNullable<MachineConfig['maintenance']>;

/** Whether the machine may be interrupted now. `reason` goes after "waiting for": `sensor door: closed is false`. */
export type Permission = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

export interface MaintenanceGateOptions {
  readonly clock: Clock;
  /** Readings of a sensor by its full name; rejects where it cannot be read. */
  readonly readSensor: (fullName: string, timeoutMs: number) => Promise<Readonly<Record<string, unknown>>>;
}

/** Time limit for the sensor's answer. */
export const READ_MS = 5_000;
const LONGEST_VALUE = 40;
const MAX_KEYS = 8;

/**
 * Asks the sensor of a `maintenance` block. Only the boolean true allows maintenance. A missing or failing sensor, a
 * missing key and another kind of value do not, because a machine without its sensor must not be interrupted
 * unexpectedly.
 */
export class MaintenanceGate {
  readonly #options: MaintenanceGateOptions;

  constructor(options: MaintenanceGateOptions) {
    this.#options = options;
  }

  /** @param window of the running configuration; undefined allows everything. Never rejects. */
  async ask(window: MaintenanceWindow | undefined): Promise<Permission> {
    if (window === undefined) return { isAllowed: true };
    const { sensorName, allowedKey } = window;
    const { clock, readSensor } = this.#options;
    const sensor = `sensor ${shortNameOf(sensorName)}`;
    const onTimeout = (): never => {
      throw new Error(`it did not answer within ${formatSeconds(READ_MS)}`);
    };
    let readings: Readonly<Record<string, unknown>>;
    try {
      readings = await withTimeout(() => readSensor(sensorName, READ_MS), { clock, ms: READ_MS, onTimeout });
    } catch (thrown) {
      return refused(`${sensor}: ${reasonOf(thrown).replace(/\.$/, '')}`);
    }
    if (!Object.hasOwn(readings, allowedKey)) {
      return refused(`${sensor}: it has no reading "${allowedKey}" (${listOf(Object.keys(readings))})`);
    }
    const value = readings[allowedKey];
    if (value === true) return { isAllowed: true };
    if (value === false) return refused(`${sensor}: ${allowedKey} is false`);
    return refused(`${sensor}: ${allowedKey} is ${shown(value)}, neither true nor false`);
  }
}

function refused(reason: string): Permission {
  return { isAllowed: false, reason };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}

function listOf(keys: readonly string[]): string {
  if (keys.length === 0) return 'it has none';
  const more = keys.length - MAX_KEYS;
  return `it has ${keys.slice(0, MAX_KEYS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
