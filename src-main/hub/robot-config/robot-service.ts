import { RobotServiceDefinition, type AgentInfo, type CloudConfig } from '../../../proto/gen/core/app/v1/robot.ts';
import type { LogEntry } from '../../../proto/gen/core/common/v1/common.ts';
import { Level, type Entry } from '../../../proto/gen/core/log/v1/log.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import type { Caller } from '../access/caller.ts';
import { computerHosts } from '../access/computer-hosts.ts';
import { ownAddress } from '../access/own-address.ts';
import { DerivedSecrets } from '../access/derived-secrets.ts';
import type { Hub } from '../hub.ts';
import { membershipOf } from '../presence/acceptance.ts';
import { ofZapField } from '../logs/zap-field.ts';
import { robotConfigOf } from './robot-config.ts';
import { guarded, type HubHandlers } from '../access/guarded.ts';

/** How often a machine is to ask whether it is to be started anew. */
const RESTART_CHECK = { seconds: 5n, nanos: 0 };
/** Names the log of a machine that numbers no entries. */
const UNNUMBERED_LOG = 'RobotService/Log';

const levels: Readonly<Record<string, Level>> = {
  debug: Level.DEBUG,
  warn: Level.WARN,
  warning: Level.WARN,
  error: Level.ERROR,
  dpanic: Level.ERROR,
  panic: Level.ERROR,
  fatal: Level.ERROR,
};

/**
 * `core.app.v1.RobotService`: what machines of the public ecosystem fetch from
 * their hub and send to it (wire contract 5.1, 5.2). Machines of ours use
 * PartService, and of this the certificate.
 */
export function robotService(hub: Hub): ServiceHandlers<typeof RobotServiceDefinition> {
  const { store, live, logs, authority } = hub;
  const secrets = new DerivedSecrets(store);
  const serving = (caller: Caller, id: string): Promise<unknown> =>
    caller.require('part.serve', { type: 'part', id }, store.db);

  const handlers: HubHandlers<typeof RobotServiceDefinition> = {
    async config({ id, agentInfo }, caller, call) {
      await serving(caller, id);
      const [current, { cloud, keyIds }] = await Promise.all([live.current(id), placeOf(id)]);
      await live.presence.asked(id, helloOf(id, agentInfo, current?.revision ?? ''));
      const standIns = await Promise.all(keyIds.map(async (key) => [key, await secrets.inPlaceOfKey(key)] as const));
      const apiKeys = { ...Object.fromEntries(standIns), keys: keyIds };
      return { config: robotConfigOf(current?.text ?? '', { cloud, apiKeys, dialect: call.dialect }) };
    },

    async certificate({ id }, caller, call) {
      await serving(caller, id);
      const { membership } = await membershipOf(store, id);
      // Its name in the fleet, and how clients reach it: never a name that it chose, which might be somebody else's.
      const names = [membership.fqdn, 'localhost', '127.0.0.1', '::1', ...ownAddress(call.connection, call.metadata)];
      // The machine of this program has the names that this computer has.
      const isHere = call.connection.transport === 'local';
      const { cert, key } = await authority.issue(isHere ? computerHosts([membership.fqdn]) : [...new Set(names)]);
      return { id, tlsCertificate: cert, tlsPrivateKey: key };
    },

    async log({ id, logs: entries }, caller) {
      await serving(caller, id);
      await logs.appendUnnumbered(id, UNNUMBERED_LOG, entries.map(entryOf));
      return {};
    },

    async needsRestart({ id }, caller) {
      await serving(caller, id);
      return { id, mustRestart: live.takeRestart(id), restartCheckInterval: RESTART_CHECK };
    },
  };
  return guarded(RobotServiceDefinition, handlers, hub);

  /** What the machine is told that it is, and whose keys it may let in. */
  async function placeOf(id: string): Promise<{ readonly cloud: CloudConfig; readonly keyIds: readonly string[] }> {
    const { membership, place } = await membershipOf(store, id);
    const { fqdn, organizationId, locationId, machineId } = membership;
    const cloud: CloudConfig = {
      id,
      fqdn,
      localFqdn: fqdn,
      managedBy: '',
      signalingAddress: '',
      signalingInsecure: false,
      locationSecret: '',
      secret: '',
      locationSecrets: [{ id: locationId, secret: await secrets.ofLocation(locationId) }],
      primaryOrgId: organizationId,
      locationId,
      machineId,
    };
    return { cloud, keyIds: await live.keyIdsAt(place) };
  }
}

function helloOf(partId: string, agent: AgentInfo | undefined, revision: string) {
  const { version = '', platform = '', host = '' } = agent ?? {};
  return { partId, revision, ownsConfig: false, version, platform, host, startedAt: undefined, moduleKey: undefined };
}

/** An entry as the public ecosystem sends it; of a level that is unknown it is an ordinary one. */
function entryOf({ level, time, loggerName, message, caller, stack, fields }: LogEntry): Entry {
  const { File: file, Line: line } = caller ?? {};
  const named = fields.map(ofZapField);
  const more = stack === '' ? {} : { stack };
  return {
    seq: 0n,
    time,
    level: levels[level.toLowerCase()] ?? Level.INFO,
    logger: loggerName,
    message,
    fields: { ...Object.fromEntries(named.filter(([key]) => key !== '')), ...more },
    resource: '',
    caller: typeof file === 'string' && file !== '' ? `${file}:${typeof line === 'number' ? line : 0}` : '',
    repeatCount: 1,
    firstTime: undefined,
  };
}
