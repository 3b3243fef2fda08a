import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { AccessControl } from './access-control.ts';
import { keyFromText, type AccessPolicy } from './access-policy.ts';
import { authService } from './auth-service.ts';
import { fakeCall, type FakeCallOptions } from './fake-call.ts';
import { FailureLimit, addressGroup } from './failure-limit.ts';

const open: AccessPolicy = {
  authEnabled: false,
  apiKeys: [],
  launchToken: 'launch',
  fqdn: 'bench.local',
  hostnames: [],
  allowedOrigins: [],
  allowInsecureCreds: false,
};
const keyed: AccessPolicy = { ...open, authEnabled: true, apiKeys: [keyFromText('key-1', 'secret-1')] };
const good = { entity: 'key-1', credentials: { type: 'api-key', payload: 'secret-1' } };
const bad = { entity: 'key-1', credentials: { type: 'api-key', payload: 'wrong' } };
type AuthenticateRequest = { entity: string; credentials: { type: string; payload: string } | undefined };

function setUp(policy: AccessPolicy) {
  const clock = new ManualClock();
  const access = new AccessControl(policy, clock, silentLogger, () => true);
  const service = authService(access, clock);
  const authenticate = (request: AuthenticateRequest, options: FakeCallOptions = {}): { accessToken: string } =>
    service.authenticate?.(request, fakeCall(options)) as { accessToken: string };
  /** The code and text of the refusal. */
  const refusal = (request: AuthenticateRequest, options: FakeCallOptions = {}): [string, string] => {
    try {
      authenticate(request, options);
    } catch (thrown) {
      if (thrown instanceof ArmatureError) return [thrown.code, thrown.message];
      throw thrown;
    }
    throw new Error('was not refused');
  };
  return { clock, access, authenticate, refusal };
}

describe('Authenticate, case by case', () => {
  it('without authentication it is not there', () => {
    expect(setUp(open).refusal(good)[0]).toBe('call.unimplemented');
  });

  it('a caller who needs a key hears how to configure one where there is none', () => {
    const [code, message] = setUp(open).refusal(good, { remoteAddress: '10.0.0.2', isEncrypted: true });
    expect(code).toBe('access.unauthenticated');
    expect(message).toContain('"handlers"');
    expect(setUp(open).refusal(good, { transport: 'grpc-web' })[0]).toBe('access.unauthenticated');
  });

  it('a call that carries authorization is refused', () => {
    expect(setUp(keyed).refusal(good, { metadata: { authorization: 'Bearer x' } })).toEqual([
      'call.bad_argument',
      'already authenticated; cannot re-authenticate',
    ]);
  });

  it('missing credentials are refused', () => {
    expect(setUp(keyed).refusal({ entity: 'key-1', credentials: undefined })[0]).toBe('call.bad_argument');
  });

  it('an unknown type of credentials is refused by name', () => {
    const [code, message] = setUp(keyed).refusal({ entity: 'p', credentials: { type: 'robot-secret', payload: 'x' } });
    expect(code).toBe('call.bad_argument');
    expect(message).toMatch(/^do not know how to handle credential type "robot-secret"/);
  });

  it.each([
    ['a wrong key', bad],
    ['an unknown id', { ...good, entity: 'key-2' }],
    ['an empty key', { ...good, credentials: { type: 'api-key', payload: '' } }],
  ])('%s: invalid credentials', (_title, request) => {
    expect(setUp(keyed).refusal(request)).toEqual(['access.unauthenticated', 'invalid credentials']);
  });

  it('an id and its key give a token that the next call passes with', () => {
    const { access, authenticate } = setUp(keyed);
    const { accessToken } = authenticate(good);
    const call = fakeCall({ metadata: { authorization: `Bearer ${accessToken}` } });
    void access.interceptor.start?.(call);
    expect(call.principal).toEqual({ kind: 'api-key', entity: 'key-1' });
  });

  it('the token is a JWT with the claims of the contract, an audience and an expiry', () => {
    const { accessToken } = setUp(keyed).authenticate(good);
    const [header = '', payload = ''] = accessToken.split('.');
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decode(header)).toMatchObject({ alg: 'EdDSA', kid: expect.any(String) as string });
    const claims = decode(payload) as { iat: number; exp: number };
    expect(claims).toMatchObject({
      sub: 'key-1',
      iss: 'bench.local',
      aud: ['bench.local'],
      rpc_creds_type: 'api-key',
      jti: expect.any(String) as string,
    });
    expect(claims.exp - claims.iat).toBe(86_400);
  });

  it('keys without an auth block (from a hub) can be exchanged from this computer', () => {
    expect(setUp({ ...keyed, authEnabled: false }).authenticate(good).accessToken).not.toBe('');
  });

  it('credentials in clear text from elsewhere are refused, unless the flag allows them', () => {
    const { refusal } = setUp(keyed);
    const [code, message] = refusal(good, { remoteAddress: '10.0.0.2' });
    expect(code).toBe('access.denied');
    expect(message).toContain('-allow-insecure-creds');
    const allowed = setUp({ ...keyed, allowInsecureCreds: true });
    expect(allowed.authenticate(good, { remoteAddress: '10.0.0.2' }).accessToken).not.toBe('');
  });

  it('ten failures a minute from one address and the eleventh must wait; the right key never', () => {
    const { clock, access, authenticate, refusal } = setUp(keyed);
    for (let i = 0; i < 10; i++) expect(refusal(bad)[0]).toBe('access.unauthenticated');
    const [code, message] = refusal(bad);
    expect(code).toBe('access.rate_limited');
    expect(message).toContain('60 s');
    expect(authenticate(good).accessToken).not.toBe('');
    expect(refusal(bad, { remoteAddress: '10.0.0.2', isEncrypted: true })[0]).toBe('access.unauthenticated');
    clock.advance(59_999);
    expect(refusal(bad)[0]).toBe('access.rate_limited');
    expect(authenticate(good).accessToken).not.toBe('');
    clock.advance(1);
    expect(refusal(bad)[0]).toBe('access.unauthenticated');
    expect(access.refusals.counts).toMatchObject({ 'bad-credentials': 12, 'rate-limited': 2 });
  });

  it('all of 127.0.0.0/8 and ::1 is one address', () => {
    const { refusal } = setUp(keyed);
    const from = ['::1', '127.0.0.1', '::ffff:127.0.0.1', '127.1.2.3', '127.255.0.9'];
    for (let i = 0; i < 10; i++) refusal(bad, { remoteAddress: from[i % from.length] ?? '' });
    expect(refusal(bad, { remoteAddress: '127.77.77.77' })[0]).toBe('access.rate_limited');
  });
});

describe('FailureLimit', () => {
  it('forgets the address that failed longest ago when there are too many', () => {
    const clock = new ManualClock();
    const limit = new FailureLimit({ failures: 1, windowMs: 60_000, maxAddresses: 2 }, clock);
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) limit.recordFailure(address);
    expect(limit.trackedAddresses).toBe(2);
    expect(limit.waitMs('10.0.0.1')).toBe(0);
    expect(limit.waitMs('10.0.0.3')).toBe(60_000);
  });

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', 'this computer'],
    ['127.0.0.1', 'this computer'],
    ['::ffff:127.9.9.9', 'this computer'],
  ])('counts %s as %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  it('takes the key of the modules, and is for anybody else one without keys', () => {
    const ofModules = { ...keyFromText('m', 'module-secret'), isOfModules: true };
    const { authenticate, refusal } = setUp({ ...open, apiKeys: [ofModules] });
    const request = { entity: 'm', credentials: { type: 'api-key', payload: 'module-secret' } };
    expect(authenticate(request).accessToken).not.toBe('');
    expect(refusal({ ...request, credentials: { type: 'api-key', payload: 'wrong' } })[0]).toBe('call.unimplemented');
    expect(refusal(bad)[0]).toBe('call.unimplemented');
  });
});
