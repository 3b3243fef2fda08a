import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import type { Caller } from '../access/caller.ts';
import type { Hub } from '../hub.ts';
import { guarded } from '../access/guarded.ts';
import { historyCalls } from '../history/history-calls.ts';
import { keyCalls } from '../access/key-calls.ts';
import { logCalls } from '../logs/log-calls.ts';
import { locationCalls } from './location-calls.ts';
import { machineCalls } from './machine-calls.ts';
import { moduleCalls } from '../registry/module-calls.ts';
import { organizationCalls } from './organization-calls.ts';
import { partCalls } from './part-calls.ts';

/** What of it changes what the fleet consists of, or names in it. */
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

/** `core.app.v1.AppService`: what is answered, and what is not, is listed in the hub's README. */
export function appService(hub: Hub): ServiceHandlers<typeof AppServiceDefinition> {
  const handlers = {
    ...organizationCalls(hub),
    ...locationCalls(hub),
    ...machineCalls(hub),
    ...partCalls(hub),
    ...historyCalls(hub),
    ...keyCalls(hub),
    ...logCalls(hub),
    ...moduleCalls(hub),
  };
  return guarded(AppServiceDefinition, { ...handlers, ...telling(handlers, hub) }, hub);
}

type Handler = (request: unknown, caller: Caller, call: ServerCall) => unknown;

/** Handlers that tell of the change they made, once it is made. */
function telling(handlers: object, hub: Hub): Record<string, Handler> {
  const plain = handlers as Record<string, Handler | undefined>;
  return Object.fromEntries(
    fleetChanges.map((name) => [
      name,
      async (request, caller, call): Promise<unknown> => {
        const answer = await plain[name]?.(request, caller, call);
        hub.fleetChanges.changed();
        return answer;
      },
    ]),
  );
}
