import { withTimeout } from '../../../base/async/timeout.ts';
import type { Clock } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';

/** The reading that allows it. */
const KEY = 'should_sync';
/** Time limit for the sensor. */
const READ_MS = 5_000;

interface SyncPermissionOptions {
  readonly readSensor: (fullName: string, timeoutMs: number) => Promise<Readonly<Record<string, unknown>>>;
  readonly clock: Clock;
}

/** Whether a sensor lets captured data go to the hub now. Only the boolean true does. */
export class SyncPermission {
  readonly #options: SyncPermissionOptions;
  #reason = '';

  constructor(options: SyncPermissionOptions) {
    this.#options = options;
  }

  /** Why nothing may be sent, according to the last answer; '' if it may. */
  get reason(): string {
    return this.#reason;
  }

  /** @param sensor by its full name; undefined allows everything. Never rejects. */
  async ask(sensor: string | undefined): Promise<boolean> {
    this.#reason = sensor === undefined ? '' : await this.#reasonOf(sensor);
    return this.#reason === '';
  }

  async #reasonOf(sensor: string): Promise<string> {
    const { readSensor, clock } = this.#options;
    const onTimeout = (): never => {
      throw new Error(`it did not answer within ${READ_MS / 1_000} s`);
    };
    try {
      const readings = await withTimeout(() => readSensor(sensor, READ_MS), { clock, ms: READ_MS, onTimeout });
      if (!Object.hasOwn(readings, KEY)) return `${sensor} has no reading "${KEY}"`;
      return readings[KEY] === true ? '' : `${KEY} of ${sensor} is ${JSON.stringify(readings[KEY])}`;
    } catch (thrown) {
      return `${sensor} cannot be read: ${toArmatureError(thrown).message}`;
    }
  }
}
