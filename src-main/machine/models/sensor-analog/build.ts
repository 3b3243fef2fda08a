import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { readWithTimeout } from '../read-with-timeout.ts';
import type { Board } from '../../../apis/board/types.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import type { Sensor } from '../../../apis/sensor.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { AnalogSensorAttributes } from './schema.ts';

/** Time limit for a board to read its converter. */
const READ_TIMEOUT_MS = 2_000;

/** Sensor model `analog`: `value` is raw × scale + offset, `raw` is the board's reading, `unit` is included if set. */
class AnalogSensor implements Sensor, BuiltResource {
  readonly name: string;
  readonly #board: Board;
  readonly #clock: Clock;
  #attributes: AnalogSensorAttributes;

  constructor(name: string, attributes: AnalogSensorAttributes, board: Board, clock: Clock) {
    this.name = name;
    this.#attributes = attributes;
    this.#board = board;
    this.#clock = clock;
  }

  async readings({ signal }: CallOptions = {}): Promise<JsonObject> {
    const { analog, scale = 1, offset = 0, unit = '' } = this.#attributes;
    const read = () => this.#board.readAnalog(analog);
    const { value: raw } = await readWithTimeout(read, READ_TIMEOUT_MS, this.#clock, signal).catch(
      (thrown: unknown) => {
        throw this.#failure(analog, thrown);
      },
    );
    return { value: raw * scale + offset, raw, ...(unit === '' ? {} : { unit }) };
  }

  reconfigure(attributes: JsonObject): Promise<void> {
    this.#attributes = attributes as unknown as AnalogSensorAttributes;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #failure(analog: string, thrown: unknown): ArmatureError {
    const { code, message } = toArmatureError(thrown);
    return new ArmatureError(
      code === 'internal.bug' ? 'hardware.failed' : code,
      `Sensor "${this.name}": analog "${analog}" of board "${this.#board.name}" was not read: ${message}`,
      { cause: thrown, details: { sensor: this.name, board: this.#board.name, analog } },
    );
  }
}

export async function build(context: BuildContext<AnalogSensorAttributes>): Promise<BuiltResource> {
  const { attributes } = context;
  const board = context.dependency<Board>('core:component:board', attributes.board);
  return new AnalogSensor(context.name, attributes, board, context.clock);
}
