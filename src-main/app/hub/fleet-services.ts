import { DataServiceDefinition } from '../../../proto/gen/core/app/data/v1/data.ts';
import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import { DataSyncServiceDefinition } from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { MLInferenceServiceDefinition } from '../../../proto/gen/core/app/mlinference/v1/ml_inference.ts';
import { MLTrainingServiceDefinition } from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { PackageServiceDefinition } from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/app/v1/robot.ts';
import { HubDataServiceDefinition } from '../../../proto/gen/core/hub/v1/data.ts';
import { HubDatasetServiceDefinition } from '../../../proto/gen/core/hub/v1/dataset.ts';
import { HubServiceDefinition } from '../../../proto/gen/core/hub/v1/hub.ts';
import { HubInferenceServiceDefinition } from '../../../proto/gen/core/hub/v1/inference.ts';
import { ModelServiceDefinition } from '../../../proto/gen/core/hub/v1/models.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { PresenceServiceDefinition } from '../../../proto/gen/core/hub/v1/presence.ts';
import { RegistryServiceDefinition } from '../../../proto/gen/core/hub/v1/registry.ts';
import { HubTrainingServiceDefinition } from '../../../proto/gen/core/hub/v1/training.ts';
import { TriggerServiceDefinition } from '../../../proto/gen/core/hub/v1/trigger.ts';
import { SignalingServiceDefinition } from '../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { readAddress } from '../../hub/places/address.ts';
import { chosenService } from '../../rpc/routing/chosen-service.ts';
import type { MountService, Router } from '../../rpc/router.ts';
import type { ServerCall } from '../../rpc/call.ts';
import { firstValue } from '../../rpc/metadata.ts';
import type { ServiceDefinition, ServiceHandlers } from '../../rpc/service.ts';
import type { EmbeddedHub } from './embedded-hub.ts';
import { requireFleetCaller, type AccessGuard } from '../access-guard.ts';

/** Services that only a hub has, for its fleet. */
const fleetServices = [
  AppServiceDefinition,
  PartServiceDefinition,
  PresenceServiceDefinition,
  RobotServiceDefinition,
  HubServiceDefinition,
  RegistryServiceDefinition,
  ModelServiceDefinition,
  PackageServiceDefinition,
  TriggerServiceDefinition,
  DataSyncServiceDefinition,
  DataServiceDefinition,
  DatasetServiceDefinition,
  HubDataServiceDefinition,
  HubDatasetServiceDefinition,
  HubInferenceServiceDefinition,
  MLInferenceServiceDefinition,
  MLTrainingServiceDefinition,
  HubTrainingServiceDefinition,
] as const;

/** Mounts the fleet services of the hub in the same program on the machine's router. Calls wait while the hub opens. */
export function mountFleetServices(router: Router, embedded: EmbeddedHub, guard: AccessGuard): void {
  const mount = <D extends ServiceDefinition>(definition: D): void => {
    router.addService(
      definition,
      chosenService(definition, async (_request, call) => {
        requireFleetCaller(call, guard);
        return (await embedded.opened()).handlers(definition);
      }),
    );
  };
  for (const definition of fleetServices) mount(definition);
}

/**
 * Mounts services that a machine has for itself and a hub for each of its
 * parts: without a part's id, or with that of this machine, the machine answers;
 * for every other part the hub does. Keys of the hub go to the hub always, which
 * knows what they may do.
 */
export function mountByPart(router: Router, embedded: EmbeddedHub, guard: AccessGuard): MountService {
  return (definition, own) => {
    router.addService(
      definition,
      chosenService(definition, (request, call) => {
        const asked = request as { partId: string };
        // The hub asks its part: that request must not return to the hub.
        if (call.principal.kind === 'hub') return own;
        const isFleetCall = guard.isFleetCall(call);
        if (!isFleetCall && (asked.partId === '' || asked.partId === embedded.current?.partId)) return own;
        return (async () => {
          const { partId, handlers } = await embedded.opened();
          if (asked.partId === partId && !isFleetCall) return own;
          requireFleetCaller(call, guard);
          if (asked.partId === '') asked.partId = partId;
          return handlers(definition);
        })();
      }),
    );
  };
}

/**
 * Signaling of a machine with a hub in the same program: the machine answers for its own names, and the hub for every
 * other part of the fleet, whose machines also wait there for their callers.
 * @param isOwnName whether a caller asks for this machine by that name
 */
export function signalingByName(
  own: ServiceHandlers<typeof SignalingServiceDefinition>,
  embedded: EmbeddedHub,
  guard: AccessGuard,
  isOwnName: (name: string, call: ServerCall) => boolean,
): ServiceHandlers<typeof SignalingServiceDefinition> {
  return chosenService(SignalingServiceDefinition, async (_request, call) => {
    const name = firstValue(call.metadata, 'rpc-host') ?? '';
    const isAnswer = call.method.name === SignalingServiceDefinition.methods.answer.name;
    if (isAnswer || (!isOwnName(name, call) && readAddress(name) !== undefined)) {
      requireFleetCaller(call, guard);
      return (await embedded.opened()).handlers(SignalingServiceDefinition);
    }
    if (guard.isFleetCall(call)) {
      const { operating, partId } = await embedded.opened();
      await operating.require(call, partId);
    }
    return own;
  });
}
