import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import { HubServiceDefinition } from '../../../proto/gen/core/hub/v1/hub.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { sha256 } from '../../rpc/access/access-policy.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { FakePart } from '../testing/fake-part.ts';
import { TestHub, type AppCall } from '../testing/test-hub.ts';

const { UNAUTHENTICATED, PERMISSION_DENIED, NOT_FOUND, INVALID_ARGUMENT } = StatusCode;
const key = { id: 'key-of-modules', secret: 'a-secret-of-43-characters-that-nobody-knows' };
const moduleKey = { id: key.id, digest: sha256(key.secret), role: '' };
const text = JSON.stringify({ components: [] });

describe.each(testStores)('the key of the modules of a part on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;
  let ownerToken = '';
  let partId = '';

  const connect = async (hello: Partial<Parameters<typeof FakePart.connect>[2]>): Promise<FakePart> => {
    const part = FakePart.connect(test, ownerToken, { partId, ...hello });
    await part.until(() => part.accepted.length > 0 || part.status !== undefined);
    return part;
  };
  /** Creates another machine with its part. */
  const another = async () => {
    const { locations } = await owner('listLocations', { organizationId: test.first.organizationId });
    const { id } = await owner('newRobot', { name: 'other', location: locations[0]?.id ?? '' });
    const { parts } = await owner('getRobotParts', { robotId: id });
    return { machineId: id, partId: parts[0]?.id ?? '' };
  };
  const refused = { code: UNAUTHENTICATED, message: 'invalid credentials' };

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    test = await TestHub.open(kind, clock);
    owner = await test.asOwner();
    ownerToken = await test.logIn(test.first.ownerKey);
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    partId = parts[0]?.id ?? '';
    await owner('updateRobotPart', { id: partId, robotConfigJson: text });
  });
  afterEach(() => test.end());

  it('is accepted once the part has sent it, and may operate only this machine', async () => {
    await expect(test.logIn(key)).rejects.toMatchObject(refused);
    await connect({ moduleKey });
    const modules = await test.as(key);
    expect((await modules('getRobotPart', { id: partId })).configJson).toBe(text);
    expect((await modules('getRobotPartHistory', { id: partId })).history).toHaveLength(1);
    expect((await modules('getRobotPartLogs', { id: partId })).logs).toEqual([]);

    const other = await another();
    await expect(modules('getRobotPart', { id: other.partId })).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(modules('getRobotPartLogs', { id: other.partId })).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(modules('getRobot', { id: other.machineId })).rejects.toMatchObject({ code: NOT_FOUND });
    const { organizationId, machineId } = test.first;
    const { robots } = await modules('listRobotsForOrg', { orgId: organizationId });
    expect(robots.map(({ id }) => id)).toEqual([machineId]);
  });

  it('cannot change anything, act as the part, or create keys', async () => {
    await connect({ moduleKey });
    const modules = await test.as(key);
    const token = await test.logIn(key);
    const { organizationId, machineId } = test.first;
    const denied = { code: PERMISSION_DENIED };
    const authorization = {
      authorizationType: 'role',
      authorizationId: 'robot_operator',
      resourceType: 'robot',
      resourceId: machineId,
      identityId: '',
      organizationId,
      identityType: '',
    };
    await expect(modules('updateRobotPart', { id: partId, robotConfigJson: '{}' })).rejects.toMatchObject(denied);
    await expect(modules('createRobotPartSecret', { partId })).rejects.toMatchObject(denied);
    await expect(modules('createKey', { name: 'k', authorizations: [authorization] })).rejects.toMatchObject(denied);
    await expect(modules('getRobotAPIKeys', { robotId: machineId })).rejects.toMatchObject(denied);
    await expect(modules('listKeys', { orgId: organizationId })).rejects.toMatchObject(denied);
    await expect(modules('createOrganization', { name: 'mine' })).rejects.toMatchObject(denied);
    const annotate = { partId, number: 1n, tag: 'mine', note: '' };
    await expect(test.call(ConfigServiceDefinition, 'annotate', annotate, { token })).rejects.toMatchObject(denied);
    const logs = { partId, logId: 'forged', entries: [] };
    await expect(test.call(PartServiceDefinition, 'uploadLogs', logs, { token })).rejects.toMatchObject(denied);
  });

  it('has a name, and is neither listed as a key nor sent to parts', async () => {
    const part = await connect({ moduleKey });
    const token = await test.logIn(key);
    const { caller } = await test.call(HubServiceDefinition, 'describe', {}, { token });
    expect(caller).toMatchObject({
      keyId: key.id,
      keyName: 'modules of bench',
      roles: [{ role: 'operator', type: 'machine', id: test.first.machineId }],
    });
    const { apiKeys } = await owner('listKeys', { orgId: test.first.organizationId });
    expect(apiKeys.map(({ apiKey }) => apiKey?.id)).toEqual([test.first.ownerKey.id]);
    expect(part.accepted[0]?.keys.map(({ id }) => id)).toEqual([test.first.ownerKey.id]);
    await expect(owner('deleteKey', { id: key.id })).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it('is replaced when the part sends another, and removed when it sends none', async () => {
    await connect({ moduleKey });
    const modules = await test.as(key);
    await connect({ moduleKey });
    await modules('getRobotPart', { id: partId }); // sending the same key again ends no token

    const next = { id: key.id, secret: 'another-secret-of-the-very-same-part' };
    await connect({ moduleKey: { id: next.id, digest: sha256(next.secret), role: '' } });
    await expect(modules('getRobotPart', { id: partId })).rejects.toMatchObject({ code: UNAUTHENTICATED });
    await expect(test.logIn(key)).rejects.toMatchObject(refused);
    const renewed = await test.as(next);
    await renewed('getRobotPart', { id: partId });

    await connect({});
    await expect(renewed('getRobotPart', { id: partId })).rejects.toMatchObject({ code: UNAUTHENTICATED });
    await expect(test.logIn(next)).rejects.toMatchObject(refused);
  });

  it('stays valid when the hub restarts, and is removed with its machine', async () => {
    const other = await another();
    await connect({ partId: other.partId, moduleKey });
    await test.close();
    test = await TestHub.open(kind, clock, test.place);
    const token = await test.logIn(key);
    const get = () => test.hub.parts.store.db.selectFrom('part_module_keys').selectAll().execute();
    expect(await get()).toHaveLength(1);
    const deletion = { id: other.machineId };
    await test.call(AppServiceDefinition, 'deleteRobot', deletion, { token: ownerToken });
    expect(await get()).toEqual([]);
    await expect(test.logIn(key)).rejects.toMatchObject(refused);
    await expect(test.call(HubServiceDefinition, 'describe', {}, { token })).rejects.toMatchObject({
      code: UNAUTHENTICATED,
    });
  });

  it('is removed with a part that is one of several', async () => {
    const { partId: second } = await owner('newRobotPart', { robotId: test.first.machineId, partName: 'arm' });
    await connect({ partId: second, moduleKey });
    await test.logIn(key);
    await owner('deleteRobotPart', { partId: second });
    await expect(test.logIn(key)).rejects.toMatchObject(refused);
  });

  it('of one part cannot be claimed by another that only knows its id', async () => {
    await connect({ moduleKey });
    const other = await another();
    const forged = { id: key.id, secret: 'of another part' };
    const part = await connect({
      partId: other.partId,
      moduleKey: { id: forged.id, digest: sha256(forged.secret), role: '' },
    });
    expect(part.status).toBeUndefined(); // the machine itself is not affected
    await expect(test.logIn(forged)).rejects.toMatchObject(refused);
    await (
      await test.as(key)
    )('getRobotPart', { id: partId });
  });

  it('with the id of an API key does not act as that key', async () => {
    const { ownerKey } = test.first;
    const secret = 'of modules that would be owner';
    await connect({ moduleKey: { id: ownerKey.id, digest: sha256(secret), role: '' } });
    const modules = await test.as({ id: ownerKey.id, secret });
    await expect(modules('createRobotPartSecret', { partId })).rejects.toMatchObject({ code: PERMISSION_DENIED });
    await (
      await test.as(ownerKey)
    )('createRobotPartSecret', { partId });
  });

  it('of a computer that became another part belongs to that part', async () => {
    const other = await another();
    await connect({ moduleKey });
    const before = await test.as(key);
    await connect({ partId: other.partId, moduleKey });
    await expect(before('getRobotPart', { id: partId })).rejects.toMatchObject({ code: UNAUTHENTICATED });
    const after = await test.as(key);
    await after('getRobotPart', { id: other.partId });
    await expect(after('getRobotPart', { id: partId })).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it.each([
    ['no id', { id: '', digest: sha256('x'), role: '' }],
    ['a digest that is none', { id: 'k', digest: new Uint8Array(3), role: '' }],
  ])('with %s is refused by name', async (_name, wrong) => {
    const part = await connect({ moduleKey: wrong });
    expect(part.status).toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringContaining('SHA-256') as string,
    });
  });
});
