import { BoardServiceDefinition } from '../../../../../proto/gen/core/component/board/v1/board.ts';
import { EncoderServiceDefinition, PositionType } from '../../../../../proto/gen/core/component/encoder/v1/encoder.ts';
import { MotorServiceDefinition } from '../../../../../proto/gen/core/component/motor/v1/motor.ts';
import { PowerSensorServiceDefinition } from '../../../../../proto/gen/core/component/powersensor/v1/powersensor.ts';
import { SensorServiceDefinition } from '../../../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { ServoServiceDefinition } from '../../../../../proto/gen/core/component/servo/v1/servo.ts';
import { SwitchServiceDefinition } from '../../../../../proto/gen/core/component/switch/v1/switch.ts';
import { type Resource, Resource_State } from '../../../../../proto/gen/core/status/v1/status.ts';
import type { MessageOf, MethodDefinition } from '../../../../link/client.ts';
import { shortName } from '../../../../shared/machine/machine-view.ts';
import { poll, type WatchRequest } from '../../../../shared/machine/poll.ts';
import type { RequestFields } from '../../../../shared/machine/resource.ts';
import { analogOf } from '../../../../shared/readings/analog-value.ts';
import { boardFacts } from '../../../../shared/readings/board-facts.ts';
import { readablePins } from '../../../../shared/readings/counted-pins.ts';
import { readingRows } from '../../../../shared/readings/reading-rows.ts';
import { unitOf } from '../../../../shared/live/units.ts';
import type { AppliedEntry } from '../../../../shared/stores/applied-config.ts';

const motor = MotorServiceDefinition.methods;
const power = PowerSensorServiceDefinition.methods;
const board = BoardServiceDefinition.methods;

/** A number of an answer. A boolean is 0 or 1. */
interface ReadNumber {
  /** `position`: the channel of motor `left` is `left.position`. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** A method that is polled, and the numbers of its answers. */
interface RecordedMethod {
  readonly method: MethodDefinition;
  /** Without the name of the resource. */
  readonly request: object;
  readonly numbersOf: (response: unknown) => readonly ReadNumber[];
}

/** A poll whose numbers are recorded. */
export interface RecordedPoll {
  readonly request: WatchRequest;
  /** Full name. */
  readonly resource: string;
  readonly numbersOf: (response: unknown) => readonly ReadNumber[];
  /** Whether the first number is a position in revolutions, from which a speed is computed as on the card. */
  readonly hasSpeed: boolean;
}

function read<M extends MethodDefinition>(
  method: M,
  request: RequestFields<M>,
  numbersOf: (response: MessageOf<M['responseType']>) => readonly ReadNumber[],
): RecordedMethod {
  return { method, request, numbersOf: numbersOf as RecordedMethod['numbersOf'] };
}

const one = (name: string, value: number | boolean | bigint, unit = ''): readonly ReadNumber[] => [
  { name, value: Number(value), unit },
];

/** What is recorded of a resource, by API; boards are below. Cameras and APIs without numbers are not listed. */
const recorded: Readonly<Record<string, readonly RecordedMethod[]>> = {
  'core:component:motor': [
    read(motor.getPosition, {}, ({ position }) => one('position', position, 'rev')),
    read(motor.isPowered, {}, ({ powerPct }) => one('power', powerPct)),
    read(motor.isMoving, {}, ({ isMoving }) => one('moving', isMoving)),
  ],
  'core:component:encoder': [
    read(EncoderServiceDefinition.methods.getPosition, {}, ({ value, positionType }) =>
      one('position', value, positionType === PositionType.ANGLE_DEGREES ? '°' : 'ticks'),
    ),
  ],
  'core:component:servo': [
    read(ServoServiceDefinition.methods.getPosition, {}, ({ positionDeg }) => one('position', positionDeg, '°')),
  ],
  'core:component:switch': [
    read(SwitchServiceDefinition.methods.getPosition, {}, ({ position }) => one('position', position)),
  ],
  'core:component:power_sensor': [
    read(power.getVoltage, {}, ({ volts }) => one('voltage', volts, 'V')),
    read(power.getCurrent, {}, ({ amperes }) => one('current', amperes, 'A')),
    read(power.getPower, {}, ({ watts }) => one('power', watts, 'W')),
  ],
  'core:component:sensor': [
    read(SensorServiceDefinition.methods.getReadings, {}, ({ readings }) =>
      readingRows(readings).flatMap(({ name, value }) =>
        typeof value === 'number' || typeof value === 'boolean' ? one(name, value, unitOf(name).unit) : [],
      ),
    ),
  ],
};

/** The polls for every number of the resources that are ready. */
export function recordedPolls(
  resources: readonly Resource[],
  components: readonly AppliedEntry[],
  hz: number,
): readonly RecordedPoll[] {
  return resources
    .filter(({ state }) => state === Resource_State.READY)
    .flatMap(({ name, api }) => {
      const methods =
        api === 'core:component:board' ? boardMethods(shortName(name), resources, components) : (recorded[api] ?? []);
      return methods.map(({ method, request, numbersOf }) => {
        const id = `${name} ${method.name} ${JSON.stringify(request)}`;
        return {
          request: poll({ id, resource: name, method, request, frequencyHz: hz }),
          resource: name,
          numbersOf,
          hasSpeed: method === motor.getPosition,
        };
      });
    });
}

/** Analogs, interrupts and levels of the pins in use. */
function boardMethods(
  name: string,
  all: readonly Resource[],
  components: readonly AppliedEntry[],
): readonly RecordedMethod[] {
  const { analogs, pins } = boardFacts(name, components);
  return [
    ...analogs.map((analog) =>
      read(board.readAnalogReader, { analogReaderName: analog }, (response) => {
        const { shown, volts } = analogOf(response);
        return one(`analog.${analog}`, shown, volts === undefined ? '' : 'V');
      }),
    ),
    ...pins
      .filter(({ use }) => use === 'irq')
      .map(({ interrupt }) =>
        read(board.getDigitalInterruptValue, { digitalInterruptName: interrupt }, ({ value }) =>
          one(`interrupt.${interrupt}`, value),
        ),
      ),
    ...readablePins(name, all, components).map((pin) =>
      read(board.getGPIO, { pin }, ({ high }) => one(`pin.${pin}`, high)),
    ),
  ];
}
