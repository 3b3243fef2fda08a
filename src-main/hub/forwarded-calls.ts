import { MLTrainingServiceDefinition } from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { AppServiceDefinition } from '../../proto/gen/core/app/v1/app.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { HubTrainingServiceDefinition } from '../../proto/gen/core/hub/v1/training.ts';
import { TriggerServiceDefinition } from '../../proto/gen/core/hub/v1/trigger.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { SignalingServiceDefinition } from '../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import type { ServerCall } from '../rpc/call.ts';
import { firstValue } from '../rpc/metadata.ts';
import type { ServiceDefinition } from '../rpc/service.ts';
import type { ForwardingRule, ForwardingRules } from './cluster/forwarding.ts';
import { partAt, readAddress } from './places/address.ts';
import type { PresenceBook } from './presence/presence-book.ts';
import type { WaitingPlaces } from './signaling/waiting-places.ts';
import type { Store } from './storage/store.ts';

export interface ForwardedCallsOptions {
  readonly store: Store;
  readonly presence: PresenceBook;
  readonly places: WaitingPlaces;
}

/**
 * Which calls must be answered by the hub that a part is connected to, and which by the leader; any hub answers the
 * rest.
 */
export function forwardedCalls(options: ForwardedCallsOptions): ReadonlyMap<ServiceDefinition, ForwardingRules> {
  const { store, presence, places } = options;
  const homeOf = (partId: string): Promise<string | undefined> => presence.homeOf(partId);
  const atPart: ForwardingRule = { to: 'part', partOf: (request) => (request as { partId: string }).partId, homeOf };
  const atPartWithId: ForwardingRule = { to: 'part', partOf: (request) => (request as { id: string }).id, homeOf };
  const atSignaled: ForwardingRule = {
    to: 'part',
    partOf: (_request, call) => signaledPart(call),
    // A machine of the public ecosystem may wait at another hub than the one that it gets its configuration from.
    homeOf: async (partId) => (await places.hubOf(partId)) ?? homeOf(partId),
  };
  return new Map<ServiceDefinition, ForwardingRules>([
    rulesOf(ConfigServiceDefinition, {
      get: atPart,
      validate: atPart,
      plan: atPart,
      apply: atPart,
      endTrial: atPart,
      applyNow: atPart,
      watch: atPart,
      restore: atPart,
    }),
    rulesOf(LogServiceDefinition, { tail: atPart }),
    rulesOf(AppServiceDefinition, { markPartForRestart: atPart, tailRobotPartLogs: atPartWithId }),
    rulesOf(SignalingServiceDefinition, { call: atSignaled, callUpdate: atSignaled }),
    allAtLeader(TriggerServiceDefinition),
    allAtLeader(MLTrainingServiceDefinition),
    allAtLeader(HubTrainingServiceDefinition),
  ]);

  async function signaledPart(call: ServerCall): Promise<string> {
    const address = readAddress(firstValue(call.metadata, 'rpc-host') ?? '');
    return (address && (await partAt(store.db, address))) ?? '';
  }
}

function rulesOf<D extends ServiceDefinition>(
  definition: D,
  rules: { readonly [K in keyof D['methods']]?: ForwardingRule },
): readonly [D, ForwardingRules] {
  return [definition, rules as ForwardingRules];
}

function allAtLeader(definition: ServiceDefinition): readonly [ServiceDefinition, ForwardingRules] {
  const rules = Object.keys(definition.methods).map((name) => [name, { to: 'leader' } as const] as const);
  return [definition, Object.fromEntries(rules)];
}
