import { RobotServiceDefinition, type AgentInfo, type CloudConfig } from '../../../proto/gen/core/app/v1/robot.ts';
import type { ServerCall } from '../../rpc/call.ts';
import { firstValue } from '../../rpc/metadata.ts';
import type { Caller } from '../access/caller.ts';
import { DerivedSecrets } from '../access/keys/derived-secrets.ts';
import { membershipOf } from '../places/membership.ts';
import type { PartVersions } from '../history/part-versions.ts';
import type { PresenceBook } from '../presence/presence-book.ts';
import type { Store } from '../storage/store.ts';
import { robotConfigOf } from './robot-config.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { readKeys } from '../access/keys/key-directory.ts';

export interface RobotConfigOptions {
  readonly store: Store;
  readonly versions: PartVersions;
  readonly presence: PresenceBook;
}

/** Serves the configuration that machines of the public ecosystem fetch. Our own machines use PartService. */
export function robotConfigFeature({ store, versions, presence }: RobotConfigOptions): Feature {
  const secrets = new DerivedSecrets(store);
  const serving = (caller: Caller, id: string): Promise<unknown> =>
    caller.require('part.serve', { type: 'part', id }, store.db);

  const handlers: HubHandlers<typeof RobotServiceDefinition> = {
    async config({ id, agentInfo }, caller, call) {
      await serving(caller, id);
      const [current, { cloud, keyIds }] = await Promise.all([versions.current(id), placeOf(id, call)]);
      await presence.asked(id, helloOf(id, agentInfo, current?.revision ?? ''));
      const placeholders = await Promise.all(
        keyIds.map(async (key) => [key, await secrets.keyPlaceholder(key)] as const),
      );
      const apiKeys = { ...Object.fromEntries(placeholders), keys: keyIds };
      return { config: robotConfigOf(current?.text ?? '', { cloud, apiKeys, dialect: call.dialect }) };
    },
  };
  return { services: [serve(RobotServiceDefinition, handlers)] };

  /** The identity of the machine, and the ids of keys that may call it. */
  async function placeOf(
    id: string,
    call: ServerCall,
  ): Promise<{ readonly cloud: CloudConfig; readonly keyIds: readonly string[] }> {
    const { membership, place } = await membershipOf(store, id);
    const { fqdn, organizationId, locationId, machineId } = membership;
    const cloud: CloudConfig = {
      id,
      fqdn,
      localFqdn: fqdn,
      managedBy: '',
      // Callers reach the machine through the hub that it has just called, under the name that it used.
      signalingAddress: firstValue(call.metadata, ':authority') ?? '',
      signalingInsecure: !call.connection.isEncrypted,
      locationSecret: '',
      secret: '',
      locationSecrets: [{ id: locationId, secret: await secrets.ofLocation(locationId) }],
      primaryOrgId: organizationId,
      locationId,
      machineId,
    };
    return { cloud, keyIds: (await readKeys(store)).keysAt(place).map((key) => key.id) };
  }
}

function helloOf(partId: string, agent: AgentInfo | undefined, revision: string) {
  const { version = '', platform = '', host = '' } = agent ?? {};
  return { partId, revision, ownsConfig: false, version, platform, host, startedAt: undefined, moduleKey: undefined };
}
