import { SignJWT, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { openStore } from '../storage/open-store.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { silentLogger } from '../../base/logger.ts';
import { connectionFrom, TestHub, type AppCall } from '../testing/test-hub.ts';
import { TOKEN_LIFETIME_MS } from './keys/access-tokens.ts';
import { ApiKeys } from './keys/api-keys.ts';

const { UNAUTHENTICATED, INVALID_ARGUMENT, RESOURCE_EXHAUSTED, PERMISSION_DENIED, NOT_FOUND, FAILED_PRECONDITION } =
  StatusCode;

describe.each(testStores)('access to a hub on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    test = await TestHub.open(kind, clock);
    owner = await test.asOwner();
  });

  afterEach(() => test.end());

  const authenticate = (entity: string, type: string, payload: string, token?: string) =>
    test.call(
      AuthServiceDefinition,
      'authenticate',
      { entity, credentials: { type, payload } },
      token === undefined ? {} : { token },
    );
  const organizations = (token: string) => test.call(AppServiceDefinition, 'listOrganizations', {}, { token });

  describe('Authenticate', () => {
    it('gives a token for an API key; the token is an EdDSA JWT of this hub and expires', async () => {
      const { id, secret } = test.first.ownerKey;
      const { accessToken } = await authenticate(id, 'api-key', secret);
      expect(decodeProtectedHeader(accessToken)).toEqual({
        alg: 'EdDSA',
        typ: 'JWT',
        kid: expect.any(String) as string,
      });
      const claims = decodeJwt(accessToken);
      expect(claims).toMatchObject({ sub: id, rpc_creds_type: 'api-key', aud: [claims.iss] });
      expect(((claims.exp ?? 0) - (claims.iat ?? 0)) * 1_000).toBe(TOKEN_LIFETIME_MS);
      expect((await organizations(accessToken)).organizations).toHaveLength(1);
    });

    it('gives a token for a secret of a part', async () => {
      const { partId, secret } = await partWithSecret();
      const { accessToken } = await authenticate(partId, 'robot-secret', secret);
      const request = { id: partId };
      const { part } = await test.call(AppServiceDefinition, 'getRobotPart', request, { token: accessToken });
      expect(part?.id).toBe(partId);
    });

    it.each([
      ['a wrong key', (id: string) => [id, 'api-key', 'wrong'], UNAUTHENTICATED, /^invalid credentials$/],
      ['an unknown id', () => ['nobody', 'api-key', 'wrong'], UNAUTHENTICATED, /^invalid credentials$/],
      ['an empty key', (id: string) => [id, 'api-key', ''], UNAUTHENTICATED, /^invalid credentials$/],
      ['a part that is none', (id: string) => [id, 'robot-secret', 'x'], UNAUTHENTICATED, /^invalid credentials$/],
      [
        'another type',
        (id: string) => [id, 'password', 'x'],
        INVALID_ARGUMENT,
        /^do not know how to handle credential type/,
      ],
    ] as const)('refuses %s', async (_name, make, code, message) => {
      const [entity = '', type = '', payload = ''] = make(test.first.ownerKey.id);
      await expect(authenticate(entity, type, payload)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message) as string,
      });
    });

    it('refuses a secret of one kind sent as the other kind', async () => {
      const { partId, secret } = await partWithSecret();
      await expect(authenticate(partId, 'api-key', secret)).rejects.toMatchObject({ code: UNAUTHENTICATED });
      const key = test.first.ownerKey;
      await expect(authenticate(key.id, 'robot-secret', key.secret)).rejects.toMatchObject({ code: UNAUTHENTICATED });
    });

    it('refuses a request without credentials, and one that already has a token', async () => {
      await expect(test.call(AuthServiceDefinition, 'authenticate', { entity: 'x' })).rejects.toMatchObject({
        code: INVALID_ARGUMENT,
      });
      const { id, secret } = test.first.ownerKey;
      await expect(authenticate(id, 'api-key', secret, 'any')).rejects.toMatchObject({
        code: INVALID_ARGUMENT,
        message: 'already authenticated; cannot re-authenticate',
      });
    });

    it('limits failed attempts of one key, then of one address, and always admits the right key', async () => {
      const { id, secret } = test.first.ownerKey;
      const fail = (entity: string) => authenticate(entity, 'api-key', 'wrong').catch((thrown: unknown) => thrown);
      for (let index = 0; index < 10; index++) expect(await fail(id)).toMatchObject({ code: UNAUTHENTICATED });
      expect(await fail(id)).toMatchObject({ code: RESOURCE_EXHAUSTED });
      expect(await authenticate(id, 'api-key', secret)).not.toBe('');
      expect(await test.logIn({ id, secret }, connectionFrom('10.0.0.7', true))).not.toBe('');
      for (let index = 0; index < 90; index++) expect(await fail(`k${index}`)).toMatchObject({ code: UNAUTHENTICATED });
      expect(await fail('yet another')).toMatchObject({ code: RESOURCE_EXHAUSTED });
      expect(await test.logIn({ id, secret })).not.toBe('');
      clock.advance(61_000);
      expect(await test.logIn({ id, secret })).not.toBe('');
      expect(test.hub.parts.refusals.count('rate-limited')).toBe(2);
      expect(test.hub.parts.refusals.count('bad-credentials')).toBe(100);
    });

    it('refuses clear-text credentials from another computer, but not over TLS or from this computer', async () => {
      const { id, secret } = test.first.ownerKey;
      const elsewhere = connectionFrom('192.0.2.1');
      await expect(test.logIn({ id, secret }, elsewhere)).rejects.toMatchObject({ code: PERMISSION_DENIED });
      const token = await test.logIn({ id, secret }, connectionFrom('192.0.2.1', true));
      const options = { token, connection: elsewhere };
      await expect(test.call(AppServiceDefinition, 'listOrganizations', {}, options)).rejects.toMatchObject({
        code: PERMISSION_DENIED,
      });
      expect(test.hub.parts.refusals.count('insecure-credentials')).toBe(2);
    });
  });

  describe('a token', () => {
    it('is needed', async () => {
      await expect(test.call(AppServiceDefinition, 'listOrganizations', {})).rejects.toMatchObject({
        code: UNAUTHENTICATED,
        message: expect.stringContaining('Authenticate') as string,
      });
    });

    it('expires', async () => {
      const token = await test.logIn(test.first.ownerKey);
      clock.advance(TOKEN_LIFETIME_MS - 2_000);
      await organizations(token);
      clock.advance(3_000);
      await expect(organizations(token)).rejects.toMatchObject({ code: UNAUTHENTICATED });
    });

    it('stays valid when the hub restarts', async () => {
      const token = await test.logIn(test.first.ownerKey);
      await test.close();
      test = await TestHub.open(kind, clock, test.place);
      expect((await organizations(token)).organizations).toHaveLength(1);
    });

    it('that somebody else created or altered is not valid', async () => {
      const token = await test.logIn(test.first.ownerKey);
      const [header = '', payload = '', signature = ''] = token.split('.');
      const claims = decodeJwt(token);
      const { kid = '' } = decodeProtectedHeader(token) as { kid?: string };
      const stored = await test.hub.parts.store.db.selectFrom('token_keys').selectAll().executeTakeFirstOrThrow();
      const jwk = JSON.parse(stored.private_jwk) as JWK;
      const own = await importJWK(jwk, 'EdDSA');
      const { privateKey: foreign } = await generateKeyPair('EdDSA', { extractable: true });
      const signed = (change: object, alg = 'EdDSA', key: Parameters<SignJWT['sign']>[0] = own, id = kid) =>
        new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg, typ: 'JWT', kid: id }).sign(key);
      const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const { d: _secret, ...publicJwk } = await exportJWK(foreign);

      const forged = [
        '',
        'x',
        `${header}.${payload}.`,
        `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
        `${header}.${base64({ ...claims, sub: 'other' })}.${signature}`,
        `${base64({ alg: 'none', typ: 'JWT', kid })}.${payload}.`,
        `${base64({ alg: 'EdDSA', typ: 'JWT', kid, jwk: publicJwk })}.${payload}.${signature}`,
        await signed({}, 'EdDSA', foreign),
        await signed({}, 'EdDSA', own, 'another-kid'),
        await signed({}, 'HS256', new TextEncoder().encode(JSON.stringify(publicJwk))),
        await signed({ aud: ['another hub'] }),
        await signed({ iss: 'another hub' }),
        await signed({ exp: Math.floor(clock.now() / 1_000) - 1 }),
        await signed({ exp: undefined }),
        await signed({ sub: undefined }),
        await signed({ sub: 'another key' }),
        await signed({ rpc_auth_md: { version: '2' } }),
        `${token}${'x'.repeat(3_000)}`,
      ];
      for (const [index, text] of forged.entries()) {
        await expect(organizations(text), `forgery ${index}`).rejects.toMatchObject({ code: UNAUTHENTICATED });
      }
      // Control: signed in the same way but not altered, the token is valid.
      expect((await organizations(await signed({}))).organizations).toHaveLength(1);
    });
  });

  describe('keys', () => {
    it('are stored as hashes only, and shown once', async () => {
      clock.advance(1);
      const { id, key } = await owner('createKey', { name: 'reader', authorizations: [operatorOf()] });
      expect(key).toMatch(/^[a-z0-9]{50}$/);
      const rows = await test.hub.parts.store.db.selectFrom('api_keys').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(key);
      const { apiKeys } = await owner('listKeys', { orgId: test.first.organizationId });
      expect(apiKeys.map(({ apiKey }) => [apiKey?.name, apiKey?.key])).toEqual([
        ['owner', ''],
        ['reader', ''],
      ]);
      expect(apiKeys[1]?.authorizations).toMatchObject([{ authorizationId: 'organization_operator' }]);
      expect(apiKeys[1]?.apiKey?.id).toBe(id);
    });

    it('a rotated key works with its new secret, and tokens of the old one end at once', async () => {
      const made = await owner('createKey', { name: 'k', authorizations: [operatorOf()] });
      const token = await test.logIn({ id: made.id, secret: made.key });
      await organizations(token);
      const rotated = await owner('rotateKey', { id: made.id });
      expect(rotated.id).toBe(made.id);
      await expect(organizations(token)).rejects.toMatchObject({ code: UNAUTHENTICATED });
      await expect(test.logIn({ id: made.id, secret: made.key })).rejects.toMatchObject({ code: UNAUTHENTICATED });
      await organizations(await test.logIn({ id: made.id, secret: rotated.key }));
    });

    it('a revoked key ends its tokens and its streams at once', async () => {
      const made = await owner('createKey', { name: 'k', authorizations: [operatorOf()] });
      const token = await test.logIn({ id: made.id, secret: made.key });
      const watching = startWaiting(token);
      expect(watching.status).toBeUndefined();
      await owner('deleteKey', { id: made.id });
      expect(await watching.ended).toMatchObject({ code: UNAUTHENTICATED });
      await expect(organizations(token)).rejects.toMatchObject({ code: UNAUTHENTICATED });
    });

    it('deleting a secret of a part ends its streams; another secret of the part still works', async () => {
      const { partId, secret, secretId } = await partWithSecret();
      const second = await owner('createRobotPartSecret', { partId });
      const token = await test.logIn({ id: partId, secret, type: 'robot-secret' });
      const other = await test.logIn({ id: partId, secret: second.part?.secret ?? '', type: 'robot-secret' });
      const [ending, staying] = [startWaiting(token), startWaiting(other)];
      await owner('deleteRobotPartSecret', { partId, secretId });
      expect(await ending.ended).toMatchObject({ code: UNAUTHENTICATED });
      expect(staying.status).toBeUndefined();
      const read = (with_: string) => test.call(AppServiceDefinition, 'getRobotPart', { id: partId }, { token: with_ });
      await expect(read(token)).rejects.toMatchObject({ code: UNAUTHENTICATED });
      expect((await read(other)).part?.id).toBe(partId);
    });

    it('a key that another program creates works at once', async () => {
      const other = await openStore(test.place.address, silentLogger);
      const { organizationId } = operatorOf();
      const everything = {
        role: 'operator',
        resourceType: 'organization',
        resourceId: organizationId,
        organizationId,
      } as const;
      const made = await other.transaction((tx) => new ApiKeys(other, clock).create('k', [everything], tx));
      await other.close();
      await expect(test.logIn({ id: made.id, secret: made.secret })).resolves.toBeTruthy();
    });

    it('a key that another program revokes is refused soon after, and its streams end', async () => {
      const made = await owner('createKey', { name: 'k', authorizations: [operatorOf()] });
      const token = await test.logIn({ id: made.id, secret: made.key });
      const watching = startWaiting(token);
      const other = await openStore(test.place.address, silentLogger);
      await other.transaction((tx) => new ApiKeys(other, clock).delete(made.id, tx));
      await other.close();
      clock.advance(501);
      expect(await watching.ended).toMatchObject({ code: UNAUTHENTICATED });
      await expect(organizations(token)).rejects.toMatchObject({ code: UNAUTHENTICATED });
    });

    it('the last owner key can be rotated, but not deleted or lose its role', async () => {
      const { id } = test.first.ownerKey;
      await expect(owner('deleteKey', { id })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
      const authorization = { ...ownerOf(), identityId: id, identityType: 'api-key' };
      await expect(owner('removeRole', { authorization })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
      await owner('createKey', { name: 'second', authorizations: [ownerOf()] });
      const mine = startWaiting(await test.logIn(test.first.ownerKey));
      // A key may delete itself: the call is answered, its streams end.
      await owner('deleteKey', { id });
      expect(await mine.ended).toMatchObject({ code: UNAUTHENTICATED });
      await expect(owner('listOrganizations', {})).rejects.toMatchObject({ code: UNAUTHENTICATED });
    });

    it('nobody can create a key with more rights than their own, or take over one', async () => {
      const mine = await owner('createLocation', { organizationId: test.first.organizationId, name: 'Mine' });
      const locationId = mine.location?.id ?? '';
      const keeper = await owner('createKey', { name: 'keeper', authorizations: [role('location_owner', locationId)] });
      const asKeeper = await test.as({ id: keeper.id, secret: keeper.key });
      const denied = [
        () => asKeeper('createKey', { name: 'x', authorizations: [ownerOf()] }),
        () => asKeeper('createKey', { name: 'x', authorizations: [role('location_owner', locationId), operatorOf()] }),
        () => asKeeper('listKeys', { orgId: test.first.organizationId }),
      ];
      for (const call of denied) await expect(call()).rejects.toMatchObject({ code: PERMISSION_DENIED });
      const hidden = [
        () => asKeeper('rotateKey', { id: test.first.ownerKey.id }),
        () => asKeeper('deleteKey', { id: test.first.ownerKey.id }),
        () => asKeeper('createKeyFromExistingKeyAuthorizations', { id: test.first.ownerKey.id }),
        () => asKeeper('rotateKey', { id: 'no such key' }),
        () => asKeeper('createKey', { name: 'x', authorizations: [role('location_owner', test.first.locationId)] }),
      ];
      for (const call of hidden) await expect(call()).rejects.toMatchObject({ code: NOT_FOUND });
      const own = await asKeeper('createKey', { name: 'y', authorizations: [role('location_operator', locationId)] });
      // The keeper may see the key, but the organization owns it, like every key.
      for (const method of ['rotateKey', 'deleteKey'] as const) {
        await expect(asKeeper(method, { id: own.id })).rejects.toMatchObject({ code: PERMISSION_DENIED });
        await owner(method, { id: own.id });
      }
    });

    it('roles are added, replaced and removed with immediate effect', async () => {
      const made = await owner('createKey', { name: 'k', authorizations: [operatorOf()] });
      const token = await test.logIn({ id: made.id, secret: made.key });
      const rename = (name: string) =>
        test.call(
          AppServiceDefinition,
          'updateOrganization',
          { organizationId: test.first.organizationId, name },
          { token },
        );
      await expect(rename('A')).rejects.toMatchObject({ code: PERMISSION_DENIED });
      const of = (authorization: ReturnType<typeof role>) => ({
        ...authorization,
        identityId: made.id,
        identityType: '',
      });
      await owner('changeRole', { oldAuthorization: of(operatorOf()), newAuthorization: of(ownerOf()) });
      expect((await rename('B')).organization?.name).toBe('B');
      await owner('removeRole', { authorization: of(ownerOf()) });
      await expect(rename('C')).rejects.toMatchObject({ code: NOT_FOUND });
      const staying = startWaiting(token);
      await owner('addRole', { authorization: of(operatorOf()) });
      expect(staying.status).toBeUndefined();
      await expect(rename('D')).rejects.toMatchObject({ code: PERMISSION_DENIED });
      const { organizationId } = test.first;
      const { authorizations } = await owner('listAuthorizations', { organizationId, resourceIds: [] });
      expect(
        new Set(authorizations.map(({ identityId, authorizationId }) => `${identityId} ${authorizationId}`)),
      ).toEqual(new Set([`${test.first.ownerKey.id} organization_owner`, `${made.id} organization_operator`]));
      const permissions = [
        {
          resourceType: 'organization',
          resourceId: organizationId,
          permissions: ['organization.read', 'keys.manage', 'x'],
        },
      ];
      const asked = await test.call(AppServiceDefinition, 'checkPermissions', { permissions }, { token });
      expect(asked.authorizedPermissions[0]?.permissions).toEqual(['organization.read']);
    });

    it.each([
      { authorizationId: 'emperor', resourceType: 'organization' },
      { authorizationId: 'organization_owner', resourceType: 'robot' },
      { authorizationType: 'permission', authorizationId: 'organization_owner', resourceType: 'organization' },
    ])('an unknown role is refused: %j', async (wrong) => {
      const authorizations = [{ ...ownerOf(), ...wrong }];
      await expect(owner('createKey', { name: 'x', authorizations })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
      await expect(owner('createKey', { name: 'x', authorizations: [] })).rejects.toMatchObject({
        code: INVALID_ARGUMENT,
      });
    });
  });

  const role = (authorizationId: string, resourceId: string) => ({
    authorizationType: 'role',
    authorizationId,
    resourceType: authorizationId.split('_')[0] ?? '',
    resourceId,
    identityId: '',
    organizationId: test.first.organizationId,
    identityType: '',
  });
  const ownerOf = () => role('organization_owner', test.first.organizationId);
  const operatorOf = () => role('organization_operator', test.first.organizationId);

  async function partWithSecret() {
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    const partId = parts[0]?.id ?? '';
    const { part } = await owner('createRobotPartSecret', { partId });
    const secret = part?.secrets.at(-1);
    return { partId, secret: secret?.secret ?? '', secretId: secret?.id ?? '' };
  }

  /** A stream that runs until it is ended. */
  function startWaiting(token: string) {
    return test.start(waitingService, 'wait', {}, { token });
  }

  const { waitingService, handlers } = makeWaitingService();
  beforeEach(() => test.router.addService(waitingService, handlers));
});

/** A service with one stream that runs until the caller cancels it. */
function makeWaitingService() {
  const { tailRobotPartLogs } = AppServiceDefinition.methods;
  const waitingService = {
    name: 'Waiting',
    fullName: 'test.Waiting',
    methods: { wait: { ...tailRobotPartLogs, name: 'Wait' } },
  } as const;
  const handlers = {
    async *wait(_request: unknown, call: { readonly signal: AbortSignal }): AsyncGenerator<never> {
      yield await new Promise<never>((_resolve, reject) =>
        call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)),
      );
    },
  };
  return { waitingService, handlers };
}
