import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { EncoderServiceDefinition } from '../../../proto/gen/core/component/encoder/v1/encoder.ts';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { PowerSensorServiceDefinition } from '../../../proto/gen/core/component/powersensor/v1/powersensor.ts';
import { SensorServiceDefinition } from '../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { ServoServiceDefinition } from '../../../proto/gen/core/component/servo/v1/servo.ts';
import { type Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import type { MethodDefinition } from '../../link/client.ts';
import { poll, type WatchRequest } from '../machine/poll.ts';
import type { Pin } from '../pins/pin-list.ts';

const motor = MotorServiceDefinition.methods;
const power = PowerSensorServiceDefinition.methods;
const board = BoardServiceDefinition.methods;

/** A sensor may need a while for its readings. */
export const sensorHz = 1;

/** A method that is polled. */
export interface Wanted {
  readonly method: MethodDefinition;
  readonly request: object;
  readonly hz: number;
}

export function isReady({ state }: Resource): boolean {
  return state === Resource_State.READY;
}

/**
 * The polls for values of ready resources.
 * @param hz how often a value is polled, except those of sensors
 */
export function valuePolls(values: readonly Pin[], resources: readonly Resource[], hz: number): WatchRequest[] {
  return values.flatMap(({ resource: name, value }) => {
    const resource = resources.find((each) => each.name === name);
    const wanted = resource !== undefined && isReady(resource) ? wantedFor(resource.api, value, hz) : undefined;
    return wanted === undefined ? [] : [pollOf(name, wanted)];
  });
}

function wantedFor(api: string, value: string, hz: number): Wanted | undefined {
  const often = (method: MethodDefinition, request: object = {}): Wanted => ({ method, request, hz });
  if (value.startsWith('analog/')) return often(board.readAnalogReader, { analogReaderName: value.slice(7) });
  if (value.startsWith('reading/'))
    return { method: SensorServiceDefinition.methods.getReadings, request: {}, hz: sensorHz };
  if (value === 'volts') return often(power.getVoltage);
  if (value === 'amperes') return often(power.getCurrent);
  if (value === 'watts') return often(power.getPower);
  if (api === 'core:component:motor') return often(value === 'power' ? motor.isPowered : motor.getPosition);
  if (api === 'core:component:encoder') return often(EncoderServiceDefinition.methods.getPosition);
  if (api === 'core:component:servo') return often(ServoServiceDefinition.methods.getPosition);
  return undefined;
}

/** A poll; its id begins with the full name of the resource and a space. */
export function pollOf(resource: string, { method, request, hz }: Wanted): WatchRequest {
  const id = `${resource} ${method.name} ${JSON.stringify(request)}`;
  return poll({ id, resource, method, request, frequencyHz: hz });
}

/** The full name of the resource of a poll of {@link pollOf}. */
export function polledResource(id: string): string {
  return id.slice(0, id.indexOf(' '));
}

/** One poll for each id, at the highest of its frequencies; sorted, so that their order opens no new stream. */
export function mergedPolls(polls: readonly WatchRequest[]): readonly WatchRequest[] {
  const merged = new Map<string, WatchRequest>();
  for (const each of polls) {
    const known = merged.get(each.id);
    if (known === undefined || known.frequencyHz < each.frequencyHz) merged.set(each.id, each);
  }
  return [...merged.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
