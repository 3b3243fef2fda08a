import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { traitsOfMethods } from '../../proto/gen/method-traits.ts';
import { methodTraits } from '../../proto/method-traits.ts';
import { roleAllows, type Role } from '../../proto/config/permissions.ts';
import { StatusCode } from '../../proto/status-code.ts';
import type { Status } from '../../src-main/base/status.ts';
import { authenticate, key, keyId, withApiKey } from '../harness/api-key.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { HubClient, roleAt, type OwnerKey } from '../harness/hub-process.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MethodProbe, type ServedMethod } from '../harness/method-probe.ts';
import { moduleKeyOf } from '../harness/module-key.ts';
import { PageChannel } from '../harness/page-channel.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const { INVALID_ARGUMENT, PERMISSION_DENIED, UNAUTHENTICATED, NOT_FOUND } = StatusCode;

/** Not a valid message of any method: a permitted caller gets an error about it, and nothing happens. */
const NO_MESSAGE = Uint8Array.of(0xff);

/** Whether a call was rejected; a hub reports objects that a caller may not see as missing. */
function isRefused({ code, message }: Status): boolean {
  return (
    code === PERMISSION_DENIED ||
    code === UNAUTHENTICATED ||
    (code === NOT_FOUND && /^There is no part/.test(message)) ||
    (code === INVALID_ARGUMENT && /^host not preconfigured/.test(message))
  );
}

/** A key, and its role for the machine; undefined: none. */
interface KeyCaller {
  readonly title: string;
  readonly login: OwnerKey;
  readonly type?: string;
  readonly role: Role | undefined;
}

describe('every method of a hub, of a machine that joined it, and of the channel between', () => {
  let fleet: Fleet;
  let partId: string;
  let server: ServerProcess;
  let keys: readonly KeyCaller[];
  let ofMachine: readonly ServedMethod[];
  let ofHub: readonly ServedMethod[];

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    await fleet.setConfig(partId, withApiKey('{}'));
    const elsewhere = await fleet.owner.call('createLocation', {
      organizationId: fleet.organizationId,
      name: 'Elsewhere',
      parentLocationId: undefined,
    });
    const { organization } = await fleet.owner.call('createOrganization', { name: 'Second' });
    const second = organization?.id ?? '';
    const foreign = await fleet.owner.call('createKey', {
      name: 'foreign',
      authorizations: [roleAt('organization_owner', second)],
    });
    const { part } = await fleet.owner.call('createRobotPartSecret', { partId });
    const operator = await fleet.createKey('organization_operator');
    const ofLocation = await fleet.createKey('location_owner', elsewhere.location?.id ?? '');
    const ofRobot = await fleet.createKey('robot_owner', await fleet.robotId());
    // It receives all keys when it connects.
    server = await startServer({ config: await fleet.configOf(partId) });
    onTestFinished(async () => void (await server.stop()));
    await until('the machine is connected', () => server.stderr().includes('connected to the hub'), 15_000);
    keys = [
      { title: 'an owner key', login: fleet.ownerKey, role: 'owner' },
      {
        title: 'an owner key of the machine',
        login: ofRobot,
        role: 'owner',
      },
      { title: 'an operator key', login: operator, role: 'operator' },
      { title: 'the module key', login: await moduleKeyOf(server), role: 'operator' },
      {
        title: 'a key of another location',
        login: ofLocation,
        role: undefined,
      },
      { title: 'a key of another organization', login: { id: foreign.id, secret: foreign.key }, role: undefined },
      {
        title: 'the part secret',
        login: { id: partId, secret: part?.secrets.at(-1)?.secret ?? '' },
        type: 'robot-secret',
        role: 'part',
      },
    ];
    ofMachine = await listed(new MethodProbe(server.url, await machineToken(fleet.ownerKey)));
    ofHub = await listed(new MethodProbe(fleet.hub.url, fleet.owner.token, fleet.authority));
  }, 120_000);

  const listed = (probe: MethodProbe): Promise<readonly ServedMethod[]> => probe.methods().finally(() => probe.close());

  /** Undefined where the machine does not accept the key. */
  const machineToken = async ({ id, secret }: OwnerKey): Promise<string | undefined> => {
    const client = new GrpcClient(server.url);
    try {
      return await authenticate(client, id, secret);
    } catch {
      return undefined;
    } finally {
      client.close();
    }
  };

  /** At the machine's own port: the paths of rejected calls. */
  const refusedByMachine = async (token: string | undefined): Promise<readonly string[]> => {
    const probe = new MethodProbe(server.url, token);
    onTestFinished(() => probe.close());
    const statuses = await Promise.all(ofMachine.map(({ path }) => probe.probe(path, NO_MESSAGE)));
    return ofMachine.filter((_, index) => isRefused(statuses[index] as Status)).map(({ path }) => path);
  };

  const refusedTo = (role: Role | undefined): readonly string[] =>
    ofMachine
      .filter(({ service, name }) => {
        const { needs } = methodTraits(service, name);
        if (needs === 'anyone') return false;
        return needs === 'hub' || role === undefined || !roleAllows(role, needs);
      })
      .map(({ path }) => path);

  it('says what it needs', () => {
    expect(ofMachine.length).toBeGreaterThan(80);
    expect(ofHub.length).toBeGreaterThan(80);
    const without = [...ofMachine, ...ofHub].filter(
      ({ service, name }) => traitsOfMethods[service]?.[name] === undefined,
    );
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  it('lets in, at the machine, exactly whom the table lets in: owners by launch token and by a key of the configuration', async () => {
    expect(await refusedByMachine(server.token)).toEqual([]);
    expect(await refusedByMachine(await machineToken({ id: keyId, secret: key }))).toEqual([]);
    for (const { title, login, type, role } of keys) {
      const token = type === undefined ? await machineToken(login) : undefined;
      const isKnown = role === 'owner' || role === 'operator';
      expect(token !== undefined, title).toBe(isKnown);
      if (isKnown) expect(await refusedByMachine(token), title).toEqual(refusedTo(role));
    }
    const open = new Set([
      '/grpc.health.v1.Health/Check',
      '/grpc.health.v1.Health/Watch',
      '/proto.rpc.v1.AuthService/Authenticate',
    ]);
    expect(await refusedByMachine(undefined)).toEqual(
      ofMachine.map(({ path }) => path).filter((path) => !open.has(path)),
    );
  }, 60_000);

  it('what the hub refuses on its port or on the part channel the machine refuses, and the other way round', async () => {
    const host = await fleet.hostOf(partId);
    for (const { title, login, type, role } of keys) {
      const client = await HubClient.logIn(fleet.hub.url, login, fleet.authority, type);
      onTestFinished(() => client.close());
      const probe = new MethodProbe(fleet.hub.url, client.token, fleet.authority, host);
      onTestFinished(() => probe.close());
      const channel = await PageChannel.open(fleet.hub.url, {
        token: client.token,
        part: partId,
        authority: fleet.authority,
      }).catch(() => undefined);
      onTestFinished(() => channel?.close());
      expect(channel !== undefined, title).toBe(role !== undefined);
      for (const { service, name, path, request } of ofMachine) {
        const { needs, namesPart: isOfHub } = methodTraits(service, name);
        if (needs === 'anyone' || needs === 'hub') continue;
        const mayCall = role !== undefined && roleAllows(role, needs);
        const bytes = isOfHub
          ? request({ partId, revision: 'none', baseRevision: 'none', number: 9_999n })
          : NO_MESSAGE;
        if (channel !== undefined)
          expect(isRefused(await channel.probe(path, bytes)), `${title}: ${path} on the channel`).toBe(!mayCall);
        if (isOfHub) expect(isRefused(await probe.probe(path, bytes)), `${title}: ${path} at the hub`).toBe(!mayCall);
      }
    }
  }, 120_000);

  it('a hub does nothing for anonymous callers, changes nothing for operators, parts and modules, and tells no other organization', async () => {
    const ids = { organizationId: fleet.organizationId, orgId: fleet.organizationId, robotId: await fleet.robotId() };
    const { locations } = await fleet.owner.call('listLocations', { organizationId: fleet.organizationId });
    const locationId = locations[0]?.id ?? '';
    const values = {
      ...ids,
      locationId,
      location: locationId,
      locationIds: [locationId],
      partId,
      machineId: ids.robotId,
    };
    const open = new Set([
      '/grpc.health.v1.Health/Check',
      '/grpc.health.v1.Health/Watch',
      '/proto.rpc.v1.AuthService/Authenticate',
    ]);
    const anonymous = new MethodProbe(fleet.hub.url, undefined, fleet.authority);
    onTestFinished(() => anonymous.close());
    for (const { path, request } of ofHub) {
      const { code } = await anonymous.probe(path, request(values));
      if (!open.has(path)) expect(code, path).toBe(UNAUTHENTICATED);
    }

    /** The answers that a caller gets about this fleet. Streams send nothing before a change. */
    const answeredTo = async (title: string, services: RegExp): Promise<readonly string[]> => {
      const { login, type } = keys.find((one) => one.title === title) as KeyCaller;
      const client = await HubClient.logIn(fleet.hub.url, login, fleet.authority, type);
      onTestFinished(() => client.close());
      const probe = new MethodProbe(fleet.hub.url, client.token, fleet.authority);
      onTestFinished(() => probe.close());
      const answered = new Set<string>();
      for (const id of [partId, ids.robotId, locationId, fleet.organizationId, fleet.ownerKey.id]) {
        for (const { service, name, path, request } of ofHub) {
          if (methodTraits(service, name).needs === 'anyone' || !services.test(service) || /^Watch|^Tail/.test(name))
            continue;
          const { code } = await probe.probe(path, request({ ...values, id, keyId: id }));
          if (code === 0) answered.add(`${service.split('.').at(-1) ?? ''}/${name}`);
        }
      }
      return [...answered].sort();
    };
    for (const title of ['an operator key', 'the module key', 'the part secret']) {
      const answered = await answeredTo(title, /AppService|RegistryService|HubService|TriggerService/);
      const restart = title === 'the part secret' ? [] : ['AppService/MarkPartForRestart'];
      const changing = answered.filter((name) => !/\/(Get|List|Check|Describe|Resolve|Search|Download)/.test(name));
      expect(changing, title).toEqual(restart);
      expect(answered.length, title).toBeGreaterThan(FOR_ANYBODY.length);
    }
    const answered = await answeredTo('a key of another organization', /^core\.(?!hub\.v1\.PresenceService)/);
    // The answers are empty, or about the caller's own objects, or about public information.
    expect(answered).toEqual(FOR_ANYBODY);
  }, 120_000);
});

/** A hub's answers to a key of any organization: none reveals more than this caller may know. */
const FOR_ANYBODY = [
  'AppService/CheckPermissions',
  'AppService/ListModules',
  'AppService/ListOrganizations',
  'AppService/ListRegistryItems',
  'DataService/AddTagsToBinaryDataByFilter',
  'DataService/BinaryDataByFilter',
  'DataService/BoundingBoxLabelsByFilter',
  'DataService/DeleteBinaryDataByFilter',
  'DataService/RemoveTagsFromBinaryDataByFilter',
  'DataService/TabularDataByFilter',
  'DataService/TagsByFilter',
  'DatasetService/ListDatasetsByIDs',
  'HubDataService/Sources',
  'HubService/Describe',
  'RegistryService/Resolve',
  'RegistryService/Search',
];
