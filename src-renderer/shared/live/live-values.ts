import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { EncoderServiceDefinition, PositionType } from '../../../proto/gen/core/component/encoder/v1/encoder.ts';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { PowerSensorServiceDefinition } from '../../../proto/gen/core/component/powersensor/v1/powersensor.ts';
import { SensorServiceDefinition } from '../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { ServoServiceDefinition } from '../../../proto/gen/core/component/servo/v1/servo.ts';
import { valueOf, type WatchReading } from '../machine/poll.ts';
import { analogOf } from '../readings/analog-value.ts';
import { readingRows, type ReadingRow } from '../readings/reading-rows.ts';
import { SlopeMeter } from '../readings/slope-meter.ts';

const motor = MotorServiceDefinition.methods;
const power = PowerSensorServiceDefinition.methods;
const board = BoardServiceDefinition.methods;

/** Long enough for two polls a second and a coarse encoder. */
const speedWindowMs = 1_500;

/** The last values of one resource. */
export interface ResourceValues {
  /** By the value of a pin: `speed`, `reading/celsius`. A number that is not known is missing. */
  readonly numbers: ReadonlyMap<string, number>;
  /** All readings of a sensor. */
  readonly rows: readonly ReadingRow[];
  /** Levels of a board's pins. */
  readonly levels: ReadonlyMap<string, boolean>;
  readonly isMoving: boolean | undefined;
  readonly isInDegrees: boolean;
  /** Why a poll gave no value lately; '' if all of them did. */
  readonly error: string;
}

export const noValues: ResourceValues = {
  numbers: new Map(),
  rows: [],
  levels: new Map(),
  isMoving: undefined,
  isInDegrees: false,
  error: '',
};

/** What one answer tells. */
interface Told {
  readonly numbers?: Readonly<Record<string, number | undefined>>;
  readonly rows?: readonly ReadingRow[];
  readonly level?: readonly [pin: string, isHigh: boolean];
  readonly isMoving?: boolean;
  readonly isInDegrees?: boolean;
}

/** Takes the answers of polls, and holds the last values of each resource. */
export class LiveValues {
  readonly #values = new Map<string, ResourceValues>();
  readonly #speeds = new Map<string, SlopeMeter>();
  /** The numbers that each poll tells, by its id. */
  readonly #told = new Map<string, readonly string[]>();

  of(resource: string): ResourceValues {
    return this.#values.get(resource) ?? noValues;
  }

  /** Takes an answer. @returns the numbers that it tells; undefined is a gap */
  take(resource: string, reading: WatchReading): ReadonlyMap<string, number | undefined> {
    const before = this.of(resource);
    if (reading.value === undefined) return this.#takeFailure(resource, reading);
    const told = this.#toldBy(resource, reading);
    const numbers = new Map(before.numbers);
    for (const [key, value] of Object.entries(told.numbers ?? {})) {
      if (value === undefined) numbers.delete(key);
      else numbers.set(key, value);
    }
    this.#values.set(resource, {
      numbers,
      rows: told.rows ?? before.rows,
      levels: told.level === undefined ? before.levels : new Map([...before.levels, told.level]),
      isMoving: told.isMoving ?? before.isMoving,
      isInDegrees: told.isInDegrees ?? before.isInDegrees,
      error: before.error,
    });
    this.#told.set(reading.id, Object.keys(told.numbers ?? {}));
    return new Map(Object.entries(told.numbers ?? {}));
  }

  /** Forgets what the poll told before: a power sensor may measure volts and no current. */
  #takeFailure(resource: string, { id, method, error }: WatchReading): ReadonlyMap<string, undefined> {
    const before = this.of(resource);
    const lost = this.#told.get(id) ?? [];
    const pin = method === board.getGPIO ? requestIn(id)['pin'] : undefined;
    if (method === motor.getPosition) this.#speeds.delete(resource);
    this.#values.set(resource, {
      ...before,
      numbers: new Map([...before.numbers].filter(([key]) => !lost.includes(key))),
      rows: method === SensorServiceDefinition.methods.getReadings ? [] : before.rows,
      levels: new Map([...before.levels].filter(([name]) => name !== pin)),
      isMoving: method === motor.isMoving ? undefined : before.isMoving,
      error,
    });
    return new Map(lost.map((key) => [key, undefined]));
  }

  /** Forgets the values of resources that are not in the set: they may not be ready any more. */
  keepOnly(resources: ReadonlySet<string>): void {
    for (const name of this.#values.keys()) {
      if (resources.has(name)) continue;
      this.#values.delete(name);
      this.#speeds.delete(name);
    }
  }

  #toldBy(resource: string, reading: WatchReading): Told {
    const { method } = reading;
    if (method === motor.isMoving) return { isMoving: valueOf(reading, motor.isMoving)?.isMoving ?? false };
    if (method === motor.isPowered) return { numbers: { power: valueOf(reading, motor.isPowered)?.powerPct } };
    if (method === motor.getPosition) {
      const position = valueOf(reading, motor.getPosition)?.position;
      return { numbers: { position, speed: this.#rpm(resource, reading.machineAt, position) } };
    }
    if (method === EncoderServiceDefinition.methods.getPosition) {
      const found = valueOf(reading, EncoderServiceDefinition.methods.getPosition);
      return {
        numbers: { position: found?.value },
        isInDegrees: found?.positionType === PositionType.ANGLE_DEGREES,
      };
    }
    if (method === ServoServiceDefinition.methods.getPosition) {
      return { numbers: { position: valueOf(reading, ServoServiceDefinition.methods.getPosition)?.positionDeg } };
    }
    if (method === power.getVoltage) return { numbers: { volts: valueOf(reading, power.getVoltage)?.volts } };
    if (method === power.getCurrent) return { numbers: { amperes: valueOf(reading, power.getCurrent)?.amperes } };
    if (method === power.getPower) return { numbers: { watts: valueOf(reading, power.getPower)?.watts } };
    if (method === SensorServiceDefinition.methods.getReadings) {
      const rows = readingRows(valueOf(reading, SensorServiceDefinition.methods.getReadings)?.readings ?? {});
      const numeric = rows.flatMap(({ name, value }) =>
        typeof value === 'number' ? [[`reading/${name}`, value] as const] : [],
      );
      return { rows, numbers: Object.fromEntries(numeric) };
    }
    const request = requestIn(reading.id);
    if (method === board.getGPIO) {
      return { level: [String(request['pin']), valueOf(reading, board.getGPIO)?.high ?? false] };
    }
    if (method === board.readAnalogReader) {
      const value = valueOf(reading, board.readAnalogReader);
      return { numbers: { [`analog/${String(request['analogReaderName'])}`]: value && analogOf(value).shown } };
    }
    return {};
  }

  #rpm(resource: string, machineAt: number, position: number | undefined): number | undefined {
    const meter = this.#speeds.get(resource) ?? new SlopeMeter(speedWindowMs);
    this.#speeds.set(resource, meter);
    const perSecond = position === undefined ? undefined : meter.add(machineAt, position);
    return perSecond === undefined ? undefined : perSecond * 60;
  }
}

/** The request in the id of a poll, which ends with it as JSON. */
function requestIn(id: string): Record<string, unknown> {
  const start = id.indexOf(' {');
  return start < 0 ? {} : (JSON.parse(id.slice(start + 1)) as Record<string, unknown>);
}
