import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition } from '../../../../proto/gen/core/config/v1/config.ts';
import { StatusCode } from '../../../base/status.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { TestHub, type AppCall, type Login } from '../../testing/test-hub.ts';

const { NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION, RESOURCE_EXHAUSTED } = StatusCode;

/** A role of a key, as the calls about roles expect it. */
const role = (authorizationId: string, resourceId: string, identityId = '') => ({
  authorizationType: 'role',
  authorizationId,
  resourceType: authorizationId.split('_')[0] ?? '',
  resourceId,
  identityId,
  organizationId: '',
  identityType: 'api-key',
});

describe.each(testStores)('ownership of keys on $name', (kind) => {
  let test: TestHub;
  /** The owner of the first organization. */
  let first: string;
  let owner: AppCall;

  const open = async (quotas = {}): Promise<void> => {
    test = await TestHub.open(kind, undefined, undefined, { quotas });
    owner = await test.asOwner();
    first = test.first.organizationId;
  };
  beforeEach(() => open());
  afterEach(() => test.end());

  const make = async (by: AppCall, ...roles: readonly ReturnType<typeof role>[]): Promise<Login> => {
    const { id, key } = await by('createKey', { name: 'k', authorizations: [...roles] });
    return { id, secret: key };
  };
  /** An organization unrelated to the first, and its owner. */
  const foreign = async (): Promise<{ readonly id: string; readonly call: AppCall; readonly login: Login }> => {
    const row = await test.hub.parts.store.transaction((tx) =>
      test.hub.parts.fleet.organizations.create('Foreign', undefined, tx),
    );
    const permission = { role: 'owner', resourceType: 'organization', resourceId: row.id } as const;
    const login = await test.hub.parts.store.transaction((tx) =>
      test.hub.parts.keys.create('foreign', [{ ...permission, organizationId: row.id }], tx),
    );
    await test.hub.parts.credentials.refresh();
    return { id: row.id, call: await test.as(login), login };
  };

  describe('a key that created another organization', () => {
    let maker: Login;
    let second: string;

    beforeEach(async () => {
      maker = await make(owner, role('organization_owner', first));
      const { organization } = await (await test.as(maker))('createOrganization', { name: 'Second' });
      second = organization?.id ?? '';
    });

    it('is renamed, stripped of roles and deleted by the organization that owns it', async () => {
      await owner('renameKey', { id: maker.id, name: 'maker' });
      await owner('removeRole', { authorization: role('organization_owner', first, maker.id) });
      await owner('deleteKey', { id: maker.id });
      await expect(test.as(maker)).rejects.toMatchObject({ code: StatusCode.UNAUTHENTICATED });
    });

    it('shows its secret to nobody with fewer rights', async () => {
      await expect(owner('rotateKey', { id: maker.id })).rejects.toMatchObject({ code: PERMISSION_DENIED });
      await expect(owner('createKeyFromExistingKeyAuthorizations', { id: maker.id })).rejects.toMatchObject({
        code: PERMISSION_DENIED,
      });
      const self = await test.as(maker);
      expect((await self('rotateKey', { id: maker.id })).id).toBe(maker.id);
    });

    it('loses its role for the other organization to an owner of it, who can delete no key of the first', async () => {
      const own = await make(await test.as(maker), role('organization_owner', second));
      const ofSecond = await test.as(own);
      await expect(ofSecond('deleteKey', { id: maker.id })).rejects.toMatchObject({ code: PERMISSION_DENIED });
      const { authorizations } = await ofSecond('listAuthorizations', { organizationId: second, resourceIds: [] });
      expect(authorizations.map(({ identityId }) => identityId).sort()).toEqual([maker.id, own.id].sort());
      await ofSecond('removeRole', { authorization: role('organization_owner', second, maker.id) });
      await expect((await test.as(maker))('getOrganization', { organizationId: second })).rejects.toMatchObject({
        code: NOT_FOUND,
      });
      await expect(ofSecond('deleteKey', { id: own.id })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
    });
  });

  it('a key without roles is managed by its organization only', async () => {
    const bare = await make(owner, role('organization_operator', first));
    await owner('removeRole', { authorization: role('organization_operator', first, bare.id) });
    const { call, id } = await foreign();
    for (const method of ['rotateKey', 'deleteKey', 'createKeyFromExistingKeyAuthorizations'] as const) {
      await expect(call(method, { id: bare.id })).rejects.toMatchObject({ code: NOT_FOUND });
    }
    await expect(call('renameKey', { id: bare.id, name: 'mine' })).rejects.toMatchObject({ code: NOT_FOUND });
    const grant = call('addRole', { authorization: role('organization_operator', id, bare.id) });
    await expect(grant).rejects.toMatchObject({ code: NOT_FOUND });
    const operator = await test.as(await make(owner, role('organization_operator', first)));
    await expect(operator('rotateKey', { id: bare.id })).rejects.toMatchObject({ code: NOT_FOUND });
    expect((await owner('rotateKey', { id: bare.id })).id).toBe(bare.id);
    await owner('deleteKey', { id: bare.id });
  });

  it('a part secret cannot change a configuration through ConfigService', async () => {
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    const partId = parts[0]?.id ?? '';
    const { part } = await owner('createRobotPartSecret', { partId });
    const secret = part?.secrets.at(-1)?.secret ?? '';
    const token = await test.logIn({ id: partId, secret, type: 'robot-secret' });
    const call = (method: 'apply' | 'restore' | 'endTrial' | 'applyNow', request: object) =>
      test.call(ConfigServiceDefinition, method, { partId, ...request }, { token });
    await expect(call('apply', { text: '{}' })).rejects.toMatchObject({ code: PERMISSION_DENIED });
    await expect(call('restore', { number: 1n })).rejects.toMatchObject({ code: PERMISSION_DENIED });
    await expect(call('endTrial', { revision: 'r' })).rejects.toMatchObject({ code: PERMISSION_DENIED });
    await expect(call('applyNow', { revision: 'r' })).rejects.toMatchObject({ code: PERMISSION_DENIED });
    expect((await test.call(ConfigServiceDefinition, 'history', { partId }, { token })).total).toBe(0n);
  });

  describe('quotas', () => {
    const full = async (call: Promise<unknown>, what: RegExp): Promise<void> => {
      const message = expect.stringMatching(what) as string;
      await expect(call).rejects.toMatchObject({ code: RESOURCE_EXHAUSTED, message });
    };

    it.each([
      ['locations', () => owner('createLocation', { organizationId: first, name: 'Hall' })],
      ['machines', () => owner('newRobot', { name: 'arm', location: test.first.locationId })],
      ['parts', () => owner('newRobotPart', { robotId: test.first.machineId, partName: 'eye' })],
      ['parts', () => owner('newRobot', { name: 'arm', location: test.first.locationId })],
      ['keys', () => make(owner, role('organization_operator', first))],
      ['keys', () => owner('createKeyFromExistingKeyAuthorizations', { id: test.first.ownerKey.id })],
    ])('of %s: one more than there may be is refused, with its name and what to do', async (what, more) => {
      await test.end();
      await open({ [what]: 2 });
      if (what === 'locations') await owner('createLocation', { organizationId: first, name: 'Wing' });
      if (what === 'machines') await owner('newRobot', { name: 'leg', location: test.first.locationId });
      if (what === 'parts') await owner('newRobotPart', { robotId: test.first.machineId, partName: 'ear' });
      if (what === 'keys') await make(owner, role('organization_operator', first));
      await full(more(), new RegExp(`2 ${what}.*Delete`));
    });

    it('of organizations also count those created by keys of an organization that a key created', async () => {
      await test.end();
      await open({ organizations: 2 });
      const { organization } = await owner('createOrganization', { name: 'Second' });
      const own = await test.as(await make(owner, role('organization_owner', organization?.id ?? '')));
      const { organization: third } = await own('createOrganization', { name: 'Third' });
      await full(own('createOrganization', { name: 'Fourth' }), /2 organizations.*Delete/);
      await full(owner('createOrganization', { name: 'Fourth' }), /2 organizations.*Delete/);
      await (await foreign()).call('createOrganization', { name: 'Elsewhere' });
      await own('deleteOrganization', { organizationId: third?.id ?? '' });
      await owner('createOrganization', { name: 'Fourth' });
    });
  });
});
