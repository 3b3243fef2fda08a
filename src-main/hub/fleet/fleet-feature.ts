import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import type { Emitter } from '../../base/async/emitter.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { Caller } from '../access/caller.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { FleetOptions } from './fleet-options.ts';
import { locationCalls } from './calls/location-calls.ts';
import { machineCalls } from './calls/machine-calls.ts';
import { organizationCalls } from './calls/organization-calls.ts';
import { partCalls } from './calls/part-calls.ts';

/** Calls that create, change, rename or delete something in the fleet. */
const fleetChanges = [
  'createOrganization',
  'updateOrganization',
  'deleteOrganization',
  'createLocation',
  'updateLocation',
  'deleteLocation',
  'newRobot',
  'updateRobot',
  'deleteRobot',
  'newRobotPart',
  'updateRobotPart',
  'deleteRobotPart',
  'markPartAsMain',
] as const satisfies readonly (keyof (typeof AppServiceDefinition)['methods'])[];

/** Organizations, their locations, the machines in those, and the parts of machines. */
export function fleetFeature(options: FleetOptions): Feature {
  const handlers = {
    ...organizationCalls(options),
    ...locationCalls(options),
    ...machineCalls(options),
    ...partCalls(options),
  };
  return { services: [serve(AppServiceDefinition, { ...handlers, ...withChangeEvents(handlers, options.changes) })] };
}

type Handler = (request: unknown, caller: Caller, call: ServerCall) => unknown;

/** Wraps the handlers in `fleetChanges` to emit `changes` after each success. */
function withChangeEvents(handlers: object, changes: Emitter): Record<string, Handler> {
  const plain = handlers as Record<string, Handler | undefined>;
  return Object.fromEntries(
    fleetChanges.map((name) => [
      name,
      async (request, caller, call): Promise<unknown> => {
        const answer = await plain[name]?.(request, caller, call);
        changes.emit();
        return answer;
      },
    ]),
  );
}
