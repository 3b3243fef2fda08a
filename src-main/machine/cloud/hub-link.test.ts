import { describe, expect, it } from 'vitest';
import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import { ChannelServer } from '../../rpc/channel/channel-server.ts';
import { PACKET_BYTES } from '../../rpc/channel/pipe.ts';
import { callOnce } from '../../rpc/testing/local-caller.ts';
import { TrackedConnection } from '../../rpc/tracked-connection.ts';
import { callerInProcess } from './hub-caller.ts';
import { HubLink, type HubUpdate, type HubState } from './hub-link.ts';
import { TestHub, testKey } from './testing/test-hub.ts';
import type { PeerCaller } from '../../rpc/peer/outbound-call.ts';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await tick();
}

/** A hub that is offline. */
const nowhere: PeerCaller = {
  start(_path, _metadata, _timeoutMs, responder) {
    queueMicrotask(() => responder.end({ code: StatusCode.UNAVAILABLE, message: 'connection refused' }, {}));
    return { message: () => undefined, halfClose: () => undefined, cancel: () => undefined };
  },
  close: () => undefined,
};

function setUp(key: { readonly id: string; readonly key: string } = testKey) {
  const hub = new TestHub();
  const hubRouter = hub.router();
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = (message: string): void => void lines.push(message);
  const logger: Logger = { ...silentLogger, info: log, warn: log, error: log };
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  const states: HubState['kind'][] = [];
  const news: HubUpdate[] = [];
  const connections: TrackedConnection[] = [];
  let revision = '';
  let isReachable = true;
  let connects = 0;
  const link = new HubLink({
    partId: () => 'part-1',
    hubName: 'https://hub',
    credentials: { type: 'api-key', entity: key.id, payload: key.key },
    clock,
    logger,
    random: () => 0,
    connect: async () => {
      connects++;
      return isReachable ? callerInProcess(hubRouter) : nowhere;
    },
    hello: () => ({
      revision,
      ownsConfig: false,
      version: '1',
      platform: 'p',
      host: 'h',
      startedAt: undefined,
      moduleKey: undefined,
    }),
    serve: (pipe) => {
      const connection = new TrackedConnection({ remoteAddress: '192.0.2.1' }, 'channel', true, true);
      connections.push(connection);
      new ChannelServer(pipe, connection, { router, clock, logger: silentLogger, packetBytes: PACKET_BYTES });
    },
    onAccepted: () => undefined,
    onUpdate: (one) => {
      news.push(one);
      if (one.kind === 'config') revision = one.stored.revision;
    },
    onRestart: () => undefined,
  });
  link.onChange(() => states.push(link.state.kind));
  return {
    hub,
    clock,
    link,
    lines,
    router,
    states,
    news,
    connections,
    connects: () => connects,
    reach: (reachable: boolean) => (isReachable = reachable),
  };
}

describe('the link to a hub', () => {
  it('authenticates once, says what it has, and is told what is newer', async () => {
    const { hub, link, states, news } = setUp();
    hub.store('{"a": 1}');
    link.start();
    await settle();
    expect(states).toEqual(['online']);
    expect(hub.authentications).toBe(1);
    expect(hub.connects).toMatchObject([{ partId: 'part-1', revision: '', version: '1' }]);
    expect(news).toMatchObject([
      { kind: 'revision', revision: hub.current?.revision },
      { kind: 'config', stored: { text: '{"a": 1}', number: 1n } },
    ]);
    hub.store('{"a": 2}');
    await settle();
    expect(news.at(-1)).toMatchObject({ kind: 'config', stored: { text: '{"a": 2}' } });
    link.close();
  });

  it('tries again with growing delay, and says once why', async () => {
    const { clock, link, lines, states, connects, reach } = setUp();
    reach(false);
    link.start();
    await settle();
    const waits: number[] = [];
    for (let round = 0; round < 9; round++) {
      const before = connects();
      let waited = 0;
      while (connects() === before) {
        clock.advance(100);
        waited += 100;
        await settle();
      }
      waits.push(waited);
    }
    expect(waits).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
    expect(states).toEqual(['offline']);
    expect(lines.filter((line) => line.includes('connection refused'))).toHaveLength(1);
    await expect(
      link.call(PartServiceDefinition, 'getConfig', { partId: 'part-1', revision: '' }),
    ).rejects.toMatchObject({ code: 'hub.unreachable', message: expect.stringContaining('https://hub') as string });
    reach(true);
    clock.advance(10_000);
    await settle();
    expect(states).toEqual(['offline', 'online']);
    link.close();
  });

  it('a connection that held is followed by a quick one; short ones are not', async () => {
    const { hub, clock, link, connects } = setUp();
    link.start();
    await settle();
    clock.advance(60_000);
    hub.stream?.responses.end();
    await settle();
    clock.advance(200);
    await settle();
    expect(connects()).toBe(2);
    // Two at once: this one and the next.
    hub.stream?.responses.end();
    await settle();
    clock.advance(200);
    await settle();
    expect(connects()).toBe(2);
    clock.advance(200);
    await settle();
    expect(connects()).toBe(3);
    link.close();
  });

  it('wrong credentials: named, tried again seldom, and without the secret in any line', async () => {
    const { clock, link, lines, states, connects } = setUp({ id: 'key-1', key: 'not-this' });
    link.start();
    await settle();
    expect(states).toEqual(['refused']);
    expect(lines.join('\n')).toContain('does not accept the credentials of part part-1: invalid credentials');
    expect(lines.join('\n')).not.toContain('not-this');
    clock.advance(1_999);
    await settle();
    expect(connects()).toBe(1);
    for (let ms = 0; ms < 300_000; ms += 1_000) {
      clock.advance(1_000);
      await tick();
    }
    await settle();
    expect(connects()).toBeLessThan(12);
    link.close();
  });

  it('revoked while connected: refused, and back as soon as the key is good again', async () => {
    const { hub, clock, link, states } = setUp();
    link.start();
    await settle();
    hub.revoke();
    await settle();
    expect(states).toEqual(['online', 'refused']);
    hub.accepts = testKey;
    clock.advance(60_000);
    await settle();
    expect(states).toEqual(['online', 'refused', 'online']);
    link.close();
  });

  it('a token that is over costs one more authentication and no failure', async () => {
    const { hub, link } = setUp();
    link.start();
    await settle();
    const before = hub.authentications;
    hub.expireTokens();
    await link.call(PartServiceDefinition, 'getConfig', { partId: 'part-1', revision: '' });
    expect(hub.authentications).toBe(before + 1);
    link.close();
  });

  it('where no stream can be held it asks by revision, within 15 s, and calls go on', async () => {
    const { hub, clock, link, states, news } = setUp();
    hub.refuses.connect = new ArmatureError('call.unimplemented', 'no streams through this proxy');
    hub.store('{"a": 1}');
    link.start();
    await settle();
    expect(states).toEqual(['polling']);
    expect(news).toMatchObject([{ kind: 'config', stored: { text: '{"a": 1}' } }]);
    await link.call(PartServiceDefinition, 'getConfig', { partId: 'part-1', revision: '' });
    for (const text of ['{"a": 2}', '{"a": 3}']) {
      // Long after the delays have grown to their longest.
      for (let ms = 0; ms < 60_000; ms += 1_000) {
        clock.advance(1_000);
        await settle();
      }
      hub.store(text);
      for (let ms = 0; ms < 15_000; ms += 1_000) {
        clock.advance(1_000);
        await settle();
      }
      expect(news.findLast(({ kind }) => kind === 'config')).toMatchObject({ stored: { text } });
    }
    // The hub is not sent again what it has.
    expect(news.filter(({ kind }) => kind === 'config')).toHaveLength(3);
    link.close();
  });

  it('a hub that never accepts the stream is given up after a while', async () => {
    const { hub, clock, link, states } = setUp();
    hub.isSilent = true;
    link.start();
    await settle();
    expect(states).toEqual([]);
    clock.advance(10_000);
    await settle();
    expect(states.length).toBe(1);
    link.close();
  });

  it('answers what the hub calls, over a connection that ends with the stream', async () => {
    const { hub, link, router, connections } = setUp();
    router.addService(ConfigServiceDefinition, {
      validate: ({ text }) => ({
        problems: [
          {
            file: '',
            line: text.length,
            column: 0,
            pointer: '',
            severity: 1 as const,
            code: 'x',
            message: '',
            found: '',
            allowed: [],
            nearest: '',
            missing: '',
          },
        ],
      }),
    });
    link.start();
    await settle();
    const { client } = hub.stream ?? {};
    const definition = ConfigServiceDefinition.methods.validate;
    const bytes = definition.requestType.encode({ partId: '', text: 'x'.repeat(200_000) }).finish();
    const call = callOnce(client as never, '/core.config.v1.ConfigService/Validate', bytes);
    expect(await call.ended).toMatchObject({ code: StatusCode.OK });
    expect(definition.responseType.decode(call.messages[0] ?? new Uint8Array()).problems[0]?.line).toBe(200_000);
    expect(connections.map(({ isClosed }) => isClosed)).toEqual([false]);
    link.close();
    await settle();
    expect(connections.map(({ isClosed }) => isClosed)).toEqual([true]);
  });
});
