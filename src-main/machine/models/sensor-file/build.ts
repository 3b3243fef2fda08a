import { NumberFinder } from './find-number.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { readWithTimeout } from '../read-with-timeout.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import type { Sensor } from '../../../apis/sensor.ts';
import { readBoundedFile } from '../../../base/files/bounded-file.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { FileSensorAttributes } from './schema.ts';

/** Time limit for reading a file: a network drive or a driver may hang. */
const READ_TIMEOUT_MS = 2_000;
/** Larger than any file of /sys or /proc that contains a number. */
export const MAX_FILE_BYTES = 64 * 1_024;

/** Sensor model `file`: `value` is the number in a file × scale. The file need not exist until it is read. */
class FileSensor implements Sensor, BuiltResource {
  readonly name: string;
  readonly #attributes: FileSensorAttributes;
  readonly #finder: NumberFinder;
  readonly #clock: Clock;
  /** Shared by all callers, so that a file that hangs blocks only one thread. */
  #reading: Promise<string> | undefined;

  constructor(name: string, attributes: FileSensorAttributes, clock: Clock) {
    this.name = name;
    this.#attributes = attributes;
    this.#finder = new NumberFinder(attributes.regex ?? '');
    this.#clock = clock;
  }

  async readings({ signal }: CallOptions = {}): Promise<JsonObject> {
    const { path, scale = 1 } = this.#attributes;
    try {
      const text = await readWithTimeout(() => this.#read(path), READ_TIMEOUT_MS, this.#clock, signal);
      return { value: this.#finder.find(text) * scale };
    } catch (thrown) {
      const { code, message, details } = toArmatureError(thrown);
      const { reason } = details;
      const about = typeof reason === 'string' ? `${path} cannot be read: ${reason}` : `${path}: ${message}`;
      throw new ArmatureError(code, `Sensor "${this.name}": ${about}.`, {
        cause: thrown,
        details: { sensor: this.name, path },
      });
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #read(path: string): Promise<string> {
    this.#reading ??= readBoundedFile(path, MAX_FILE_BYTES)
      .then((bytes) => bytes.toString('utf8'))
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }
}

export async function build(context: BuildContext<FileSensorAttributes>): Promise<BuiltResource> {
  return new FileSensor(context.name, context.attributes, context.clock);
}
