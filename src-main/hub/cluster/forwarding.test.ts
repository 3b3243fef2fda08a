import { beforeEach, describe, expect, it } from 'vitest';
import {
  ConfigServiceDefinition,
  GetRequest,
  GetResponse,
  WatchRequest,
  WatchResponse,
} from '../../../proto/gen/core/config/v1/config.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import type { ServerCall } from '../../rpc/call.ts';
import { firstValue } from '../../rpc/metadata.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import { callOnce, LocalConnection, type RecordedCall } from '../../rpc/testing/local-caller.ts';
import { Forwarding, type ForwardingRule } from './forwarding.ts';
import { HUB_PROOF_HEADER, HubProof } from './hub-proof.ts';
import type { Notice } from './notices.ts';

const GET = '/core.config.v1.ConfigService/Get';
const WATCH = '/core.config.v1.ConfigService/Watch';
const KEY = 'known to the hubs alone';
const SOON = { timeout: 10_000 };

/** Two hubs, the hub of each part, and the leader. */
class World {
  readonly clock = new ManualClock(1_000_000);
  readonly homes = new Map<string, string>();
  readonly notices = new Emitter<Notice>();
  readonly lost = new Emitter();
  /** Whether the hubs can connect to each other. */
  reachable = true;
  readonly members = {
    all: new Map(['a', 'b'].map((id) => [id, { id, address: id }])),
    leaderId: 'a' as string | undefined,
  };
  readonly hubs: Readonly<Record<string, TestHub>> = { a: new TestHub('a', this), b: new TestHub('b', this) };
}

class TestHub {
  readonly router: CallRouter;
  /** Calls that reached the handler. */
  readonly calls: ServerCall[] = [];
  readonly forwarding: Forwarding;
  tokens = 0;

  constructor(id: string, world: World) {
    const { clock, members } = world;
    this.router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
    this.forwarding = new Forwarding({
      hubId: id,
      members,
      notices: {
        tell: (notice) => world.notices.emit(notice),
        on: (listener) => world.notices.on(listener),
        onLost: (listener) => world.lost.on(listener),
      },
      proof: new HubProof(id, KEY, clock),
      clock,
      open: (address) => ({
        start: (path, metadata, timeoutMs, responder) => {
          const connection = new LocalConnection(`from ${id}`);
          const hub = world.hubs[address];
          if (hub === undefined) throw new Error(`no hub ${address}`);
          return hub.router.start({ path, metadata, timeoutMs, connection }, responder);
        },
        isReady: () => Promise.resolve(world.reachable),
        close: () => undefined,
      }),
      tokenFor: () => {
        this.tokens++;
        return Promise.resolve(`token of ${id}`);
      },
    });
    const { calls } = this;
    const handlers = {
      get: (_request, call) => {
        calls.push(call);
        return GetResponse.fromPartial({ text: id });
      },
      async *watch(_request, call) {
        calls.push(call);
        yield WatchResponse.fromPartial({});
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      },
    } as Partial<ServiceHandlers<typeof ConfigServiceDefinition>> as ServiceHandlers<typeof ConfigServiceDefinition>;
    const atPart: ForwardingRule = {
      to: 'part',
      partOf: (request) => (request as { partId: string }).partId,
      homeOf: (partId) => Promise.resolve(world.homes.get(partId)),
    };
    const rules = { get: atPart, watch: atPart };
    this.router.addService(ConfigServiceDefinition, this.forwarding.wrap(ConfigServiceDefinition, handlers, rules));
  }
}

describe('calls that another hub has to answer', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });

  const get = async (at: string, partId: string, metadata: Record<string, string> = {}): Promise<string> => {
    const call = callOnce(hub(at).router, GET, encodeMessage(GetRequest, { partId }), { metadata });
    const { code, message } = await call.ended;
    if (code !== StatusCode.OK) throw new Error(message);
    return GetResponse.decode(call.messages[0] ?? new Uint8Array()).text;
  };
  const hub = (id: string): TestHub => {
    const found = world.hubs[id];
    if (found === undefined) throw new Error(`no hub ${id}`);
    return found;
  };
  const watch = (at: string, partId: string): RecordedCall =>
    callOnce(hub(at).router, WATCH, encodeMessage(WatchRequest, { partId }));

  it('go to the hub of the part, and are answered here if the part is offline', async () => {
    world.homes.set('part-b', 'b');
    expect(await get('a', 'part-b')).toBe('b');
    expect(await get('b', 'part-b')).toBe('b');
    expect(await get('a', 'part-away')).toBe('a');
    expect(await get('b', '')).toBe('b');
  });

  it('are answered here if the hub of the part is dead', async () => {
    world.homes.set('part-b', 'b');
    world.members.all.delete('b');
    expect(await get('a', 'part-b')).toBe('a');
  });

  it('are answered here if the hub of the part cannot be reached', async () => {
    world.homes.set('part-b', 'b');
    world.reachable = false;
    expect(await get('a', 'part-b')).toBe('a');
  });

  it('are forwarded once, even if each hub believes that the other has the part', async () => {
    world.homes.set('part', 'b');
    const other = hub('b');
    // From now on the part is at hub a.
    const watched = get('a', 'part');
    world.homes.set('part', 'a');
    expect(await watched).toMatch(/^[ab]$/);
    expect(hub('a').calls.length + other.calls.length).toBe(1);
  });

  it('carry the metadata of the caller, and a proof for the receiving hub', async () => {
    world.homes.set('part-b', 'b');
    await get('a', 'part-b', {
      authorization: 'Bearer mine',
      'viam-sid': 'session',
      host: 'a.example',
      te: 'trailers',
    });
    const [call] = hub('b').calls;
    expect(call?.metadata).toMatchObject({ authorization: 'Bearer mine', 'viam-sid': 'session' });
    expect(call?.metadata).not.toHaveProperty('host');
    const proof = firstValue(call?.metadata ?? {}, HUB_PROOF_HEADER);
    expect(new HubProof('b', KEY, world.clock).isGood(proof)).toBe(true);
    expect(hub('a').tokens).toBe(0);
  });

  it('of a connection that has authenticated get one token, which is issued once', async () => {
    world.homes.set('part-b', 'b');
    await get('a', 'part-b');
    await get('a', 'part-b');
    expect(hub('b').calls.map(({ metadata }) => metadata['authorization'])).toEqual([
      'Bearer token of a',
      'Bearer token of a',
    ]);
    expect(hub('a').tokens).toBe(1);
  });

  it('are forwarded despite a forged proof', async () => {
    world.homes.set('part-b', 'b');
    const forged = new HubProof('b', 'guessed', world.clock).for('a');
    expect(await get('a', 'part-b', { [HUB_PROOF_HEADER]: forged })).toBe('b');
    // The forged proof does not reach the other hub.
    expect(firstValue(hub('b').calls[0]?.metadata ?? {}, HUB_PROOF_HEADER)).not.toBe(forged);
  });

  it('stream until the caller cancels', async () => {
    world.homes.set('part-b', 'b');
    const call = watch('a', 'part-b');
    await expect.poll(() => call.messages.length, SOON).toBe(1);
    const [there] = hub('b').calls;
    expect(there?.isCancelled).toBe(false);
    call.sink.cancel('the caller has gone');
    await expect.poll(() => there?.isCancelled, SOON).toBe(true);
  });

  it('stream until the part connects to another hub', async () => {
    const call = watch('a', 'part');
    await expect.poll(() => call.messages.length, SOON).toBe(1);
    world.notices.emit({ kind: 'connected', partId: 'another', hubId: 'b' });
    world.notices.emit({ kind: 'connected', partId: 'part', hubId: 'a' });
    world.notices.emit({ kind: 'connected', partId: 'part', hubId: 'b' });
    expect(await call.ended).toMatchObject({
      code: StatusCode.UNAVAILABLE,
      message: expect.stringContaining('Try again') as string,
    });
  });

  it('stream until notices may have been lost', async () => {
    const call = watch('a', 'part');
    await expect.poll(() => call.messages.length, SOON).toBe(1);
    world.lost.emit();
    expect((await call.ended).code).toBe(StatusCode.UNAVAILABLE);
  });
});
