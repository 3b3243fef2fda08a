import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError, type ErrorCode } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import type { ServerCall, TransportKind } from '../call.ts';
import { TrackedConnection } from '../tracked-connection.ts';
import { AccessControl, bearerToken } from './access-control.ts';
import { keyFromHash, keyFromText, type AccessPolicy } from './access-policy.ts';
import { fakeCall, type FakeCallOptions } from './fake-call.ts';
import { TOKEN_LIFETIME_MS } from './token-issuer.ts';

const LAUNCH = 'launch-secret';
const REMOTE = '192.168.1.20';
/** A method that nobody may call without proof. */
const CLOSED = '/core.config.v1.ConfigService/Get';

const open: AccessPolicy = {
  authEnabled: false,
  apiKeys: [],
  launchToken: LAUNCH,
  fqdn: 'bench.local',
  hostnames: [],
  allowedOrigins: [],
  allowInsecureCreds: false,
};
const keyed: AccessPolicy = { ...open, authEnabled: true, apiKeys: [keyFromText('key-1', 'secret-1')] };

function accessOf(policy: AccessPolicy, clock = new ManualClock(), logger: Logger = silentLogger): AccessControl {
  return new AccessControl(policy, clock, logger, ({ path }) => path !== CLOSED);
}

/** The result of a call: the kind of its principal, or the code of the refusal. */
function outcome(access: AccessControl, call: ServerCall): string {
  try {
    void access.interceptor.start?.(call);
    return call.principal.kind;
  } catch (thrown) {
    if (thrown instanceof ArmatureError) return thrown.code;
    throw thrown;
  }
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const refused: ErrorCode = 'access.unauthenticated';
const insecure: ErrorCode = 'access.denied';

interface Row extends FakeCallOptions {
  readonly title: string;
  readonly policy: AccessPolicy;
  readonly show?: 'nothing' | 'launch' | 'key' | 'garbage';
  readonly expected: string;
}

const rows: readonly Row[] = [
  { title: 'native gRPC from this computer, no auth block', policy: open, expected: 'loopback' },
  { title: 'the same with the launch token', policy: open, show: 'launch', expected: 'launch-token' },
  { title: 'the same with a stale token', policy: open, show: 'garbage', expected: 'loopback' },
  {
    title: 'the same with the dummy Basic of one SDK',
    policy: open,
    metadata: { authorization: 'Basic x' },
    expected: 'loopback',
  },
  { title: 'what shows secrets or runs programs, without proof', policy: open, path: CLOSED, expected: refused },
  { title: 'the same with a wrong token', policy: open, path: CLOSED, show: 'garbage', expected: refused },
  { title: 'the same with the right one', policy: open, path: CLOSED, show: 'launch', expected: 'launch-token' },
  { title: 'open native gRPC over IPv6', policy: open, remoteAddress: '::1', expected: 'loopback' },
  {
    title: 'native gRPC that a browser sent',
    policy: open,
    metadata: { origin: 'https://evil.example' },
    expected: refused,
  },
  { title: 'gRPC-Web from this computer without a token', policy: open, transport: 'grpc-web', expected: refused },
  {
    title: 'gRPC-Web from this computer with the launch token',
    policy: open,
    transport: 'grpc-web',
    show: 'launch',
    expected: 'launch-token',
  },
  {
    title: 'gRPC-Web from this computer with an API key',
    policy: keyed,
    transport: 'grpc-web',
    show: 'key',
    expected: 'api-key',
  },
  {
    title: 'WebRTC of a peer that signaled from this computer',
    policy: open,
    transport: 'webrtc',
    expected: 'loopback',
  },
  {
    title: 'the same for what shows secrets or runs programs',
    policy: open,
    transport: 'webrtc',
    path: CLOSED,
    expected: refused,
  },
  {
    title: 'WebRTC of a peer that signaled from elsewhere',
    policy: open,
    transport: 'webrtc',
    remoteAddress: REMOTE,
    expected: refused,
  },
  { title: 'WebRTC with an auth block', policy: keyed, transport: 'webrtc', expected: refused },
  { title: 'a channel that proved nothing', policy: open, transport: 'channel', expected: refused },
  { title: 'native gRPC from this computer with an auth block', policy: keyed, expected: refused },
  { title: 'the same with a garbage token', policy: keyed, show: 'garbage', expected: refused },
  { title: 'the same with Basic', policy: keyed, metadata: { authorization: 'Basic x' }, expected: refused },
  { title: 'the same with a token from Authenticate', policy: keyed, show: 'key', expected: 'api-key' },
  { title: 'the same with the launch token', policy: keyed, show: 'launch', expected: 'launch-token' },
  {
    title: 'a caller from elsewhere without a token',
    policy: open,
    remoteAddress: REMOTE,
    isEncrypted: true,
    expected: refused,
  },
  {
    title: 'a caller from elsewhere, no token, keys exist',
    policy: keyed,
    remoteAddress: REMOTE,
    isEncrypted: true,
    expected: refused,
  },
  {
    title: 'a caller from elsewhere with a key, over TLS',
    policy: keyed,
    remoteAddress: REMOTE,
    isEncrypted: true,
    show: 'key',
    expected: 'api-key',
  },
  {
    title: 'a caller from elsewhere with the launch token, over TLS',
    policy: open,
    remoteAddress: REMOTE,
    isEncrypted: true,
    show: 'launch',
    expected: 'launch-token',
  },
  {
    title: 'a token in clear text from elsewhere',
    policy: keyed,
    remoteAddress: REMOTE,
    show: 'key',
    expected: insecure,
  },
  {
    title: 'the launch token in clear text from elsewhere',
    policy: open,
    remoteAddress: REMOTE,
    show: 'launch',
    expected: insecure,
  },
  {
    title: 'the same with -allow-insecure-creds',
    policy: { ...keyed, allowInsecureCreds: true },
    remoteAddress: REMOTE,
    show: 'key',
    expected: 'api-key',
  },
  {
    title: 'health without a token',
    policy: keyed,
    remoteAddress: REMOTE,
    path: '/grpc.health.v1.Health/Check',
    expected: 'anonymous',
  },
  {
    title: 'Authenticate without a token',
    policy: keyed,
    path: '/proto.rpc.v1.AuthService/Authenticate',
    expected: 'anonymous',
  },
  {
    title: 'reflection without a token',
    policy: keyed,
    path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    expected: refused,
  },
  { title: 'a call inside the program', policy: keyed, transport: 'local', expected: 'local' },
];

describe('AccessControl, by what is configured and what is shown', () => {
  it.each(rows)('$title: $expected', ({ policy, show = 'nothing', expected, ...options }) => {
    const access = accessOf(policy);
    const tokens = { nothing: undefined, launch: LAUNCH, key: () => access.issueToken('key-1'), garbage: 'a.b.c' };
    const token = tokens[show];
    const shown = typeof token === 'function' ? token() : token;
    const metadata = { ...options.metadata, ...(shown === undefined ? {} : bearer(shown)) };
    expect(outcome(access, fakeCall({ ...options, metadata }))).toBe(expected);
  });

  it.each([open, keyed])('takes the socket of the user as proof, with an auth block (%#) and without', (policy) => {
    const access = accessOf(policy);
    const connection = new TrackedConnection({ isUnixSocket: true, remoteAddress: 'ada' }, 'grpc', false, true);
    access.trustUser(connection, 'ada');
    const call = fakeCall({ connection, path: CLOSED });
    expect(outcome(access, call)).toBe('user');
    expect(call.principal.entity).toBe('ada');
  });

  it('tells a caller from elsewhere how to configure a key where there is none', () => {
    const access = accessOf(open);
    expect(() => access.interceptor.start?.(fakeCall({ remoteAddress: REMOTE, isEncrypted: true }))).toThrow(/"auth"/);
  });

  it('names the flag in the refusal of credentials in clear text', () => {
    const call = fakeCall({ remoteAddress: REMOTE, metadata: bearer(LAUNCH) });
    expect(() => accessOf(open).interceptor.start?.(call)).toThrow(/-allow-insecure-creds/);
  });

  it('an empty launch token lets nobody in', () => {
    const access = accessOf({ ...open, launchToken: '' });
    const connection = new TrackedConnection({ remoteAddress: '127.0.0.1' }, 'channel', false, true);
    expect(access.admit(connection, '').allowed).toBe(false);
  });
});

describe('tokens over time', () => {
  it('a removed API key ends its tokens at their next call, on an open connection too', () => {
    const access = accessOf(keyed);
    const call = fakeCall({ metadata: bearer(access.issueToken('key-1')) });
    expect(outcome(access, call)).toBe('api-key');
    access.setPolicy({ ...keyed, apiKeys: [keyFromText('key-2', 'secret-2')] });
    expect(outcome(access, call)).toBe(refused);
  });

  it('a replaced key with the same id ends the tokens of the old one', () => {
    const access = accessOf(keyed);
    const token = access.issueToken('key-1');
    access.setPolicy({ ...keyed, apiKeys: [keyFromText('key-1', 'other')] });
    expect(outcome(access, fakeCall({ metadata: bearer(token) }))).toBe(refused);
  });

  it('a policy change that keeps the key keeps its tokens', () => {
    const access = accessOf(keyed);
    const call = fakeCall({ metadata: bearer(access.issueToken('key-1')) });
    access.setPolicy({ ...keyed, allowedOrigins: ['https://a.example'] });
    expect(outcome(access, call)).toBe('api-key');
  });

  it('an expired token is refused on a new connection, and not cut off where it has proved itself', () => {
    const clock = new ManualClock();
    const access = accessOf(keyed, clock);
    const metadata = bearer(access.issueToken('key-1'));
    const before = fakeCall({ metadata });
    expect(outcome(access, before)).toBe('api-key');
    clock.advance(TOKEN_LIFETIME_MS + 1_000);
    expect(outcome(access, before)).toBe('api-key');
    expect(outcome(access, fakeCall({ metadata }))).toBe(refused);
  });

  it('a token of another start of the program, or for another machine, is refused', () => {
    const elsewhere = accessOf(keyed).issueToken('key-1');
    expect(outcome(accessOf(keyed), fakeCall({ metadata: bearer(elsewhere) }))).toBe(refused);
    const access = accessOf(keyed);
    const token = access.issueToken('key-1');
    access.setPolicy({ ...keyed, fqdn: 'other.local' });
    expect(outcome(access, fakeCall({ metadata: bearer(token) }))).toBe(refused);
  });

  it('a changed launch token ends channels that were opened with the old one', () => {
    const access = accessOf(open);
    const connection = new TrackedConnection({ remoteAddress: '127.0.0.1' }, 'channel', false, true);
    expect(access.admit(connection, LAUNCH).allowed).toBe(true);
    const call = fakeCall({ connection });
    expect(outcome(access, call)).toBe('launch-token');
    access.setPolicy({ ...open, launchToken: 'new' });
    expect(outcome(access, call)).toBe(refused);
  });

  it('the window of the program is trusted without a token', () => {
    const access = accessOf(keyed);
    const connection = new TrackedConnection({ remoteAddress: '127.0.0.1' }, 'channel', true, true);
    access.trustOwnWindow(connection);
    expect(outcome(access, fakeCall({ connection }))).toBe('launch-token');
  });

  it('accepts a key by the hash that a hub sent, and no other text as a hash', () => {
    const hash = Buffer.from(keyFromText('h', 'from-hub').sha256).toString('hex');
    const access = accessOf({ ...open, apiKeys: [keyFromHash('h', hash, 'owner')] });
    expect(access.keys.matches('h', 'from-hub')).toBe(true);
    expect(access.keys.matches('h', 'From-hub')).toBe(false);
    expect(access.keys.matches('x', 'from-hub')).toBe(false);
    expect(() => keyFromHash('h', 'abc', 'owner')).toThrow(/"h"/);
  });
});

describe('no way around', () => {
  const transports: readonly TransportKind[] = ['grpc', 'grpc-web', 'channel'];
  const guess = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer ',
      'Basic QWxh',
      `Basic ${LAUNCH}`,
      LAUNCH,
      `Bearer ${LAUNCH}x`,
      `bearer ${LAUNCH} x`,
    ),
    fc.string().map((text) => `Bearer ${text}`),
    fc.tuple(fc.base64String(), fc.base64String(), fc.base64String()).map((parts) => `Bearer ${parts.join('.')}`),
  );

  it('no call from beyond this computer passes without proof, whatever it claims', () => {
    fc.assert(
      fc.property(
        fc.record({
          transport: fc.constantFrom(...transports),
          remoteAddress: fc.oneof(
            fc.ipV4(),
            fc.ipV6(),
            fc.constantFrom('', '::ffff:10.0.0.1', '127.0.0.1.evil', 'localhost'),
          ),
          isEncrypted: fc.boolean(),
          authEnabled: fc.boolean(),
          hasKeys: fc.boolean(),
          allowInsecureCreds: fc.boolean(),
          authorization: fc.option(guess, { nil: undefined }),
          extra: fc.dictionary(
            fc.constantFrom('host', 'origin', 'x-forwarded-for', 'x-real-ip', 'forwarded'),
            fc.constant('127.0.0.1'),
          ),
        }),
        (options) => {
          fc.pre(!/^(::ffff:)?127\./.test(options.remoteAddress) || options.remoteAddress.endsWith('evil'));
          fc.pre(options.remoteAddress !== '::1');
          const policy = {
            ...open,
            authEnabled: options.authEnabled,
            apiKeys: options.hasKeys ? keyed.apiKeys : [],
            allowInsecureCreds: options.allowInsecureCreds,
          };
          const metadata = {
            ...options.extra,
            ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
          };
          const result = outcome(accessOf(policy), fakeCall({ ...options, metadata }));
          expect([refused, insecure]).toContain(result);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('no change of one character of a valid token passes', () => {
    const access = accessOf(keyed);
    const token = access.issueToken('key-1');
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '0', '-', '_', '.'), (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        fc.pre(Buffer.from(changed, 'base64url').compare(Buffer.from(token, 'base64url')) !== 0);
        // The last character of a part contains bits that decode to nothing.
        fc.pre(at !== token.length - 1);
        expect(outcome(access, fakeCall({ metadata: bearer(changed) }))).toBe(refused);
      }),
    );
  });

  it('reads only whole Bearer values as a token', () => {
    expect(bearerToken('Bearer abc')).toBe('abc');
    expect(bearerToken('bearer abc')).toBe('abc');
    expect(bearerToken('Bearer')).toBeUndefined();
    expect(bearerToken('Bearer a b')).toBeUndefined();
    expect(bearerToken('Basic abc')).toBeUndefined();
  });
});

describe('refusals', () => {
  it('are counted each, and logged once in ten seconds for one address and reason', () => {
    const lines: { message: string; suppressed: unknown }[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (message, fields) => void lines.push({ message, suppressed: fields?.['suppressed'] }),
    };
    const clock = new ManualClock();
    const access = accessOf(keyed, clock, logger);
    for (let i = 0; i < 5; i++) outcome(access, fakeCall({}));
    expect(access.refusals.counts).toMatchObject({ 'no-proof': 5, 'bad-token': 0 });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.message).toContain('127.0.0.1');
    outcome(access, fakeCall({ remoteAddress: '::1' }));
    expect(lines).toHaveLength(2);
    clock.advance(10_000);
    outcome(access, fakeCall({}));
    expect(lines[2]?.suppressed).toBe(4);
  });
});
