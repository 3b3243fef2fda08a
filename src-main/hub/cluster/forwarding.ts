import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Connection, ServerCall } from '../../rpc/call.ts';
import { forwardedMetadata } from '../../rpc/forwarded-metadata.ts';
import { firstValue, type MetadataRecord } from '../../rpc/metadata.ts';
import { callPeer, streamFromPeer, type PeerCaller } from '../../rpc/peer/outbound-call.ts';
import type { PeerCodes } from '../../rpc/peer/received-error.ts';
import type { ServiceDefinition, ServiceHandlers } from '../../rpc/service.ts';
import { HUB_PROOF_HEADER, type HubProof } from './hub-proof.ts';
import type { Member } from './members.ts';
import type { Notices } from './notices.ts';

/** Which hub has to answer a call. */
export type ForwardingRule =
  /** Work that the leader does for all hubs. */
  | { readonly to: 'leader' }
  | {
      readonly to: 'part';
      /** Id of the part that a request is about; '' if it names none. */
      readonly partOf: (request: unknown, call: ServerCall) => string | Promise<string>;
      /** Id of the hub that the part is connected to; undefined if it is offline. */
      readonly homeOf: (partId: string) => Promise<string | undefined>;
    };

/** By method name. Any hub answers a method without a rule. */
export type ForwardingRules = Readonly<Record<string, ForwardingRule>>;

/** A connection to another hub. */
export interface HubCaller extends PeerCaller {
  /** Whether it is connected, or connects at the first attempt within this time. */
  isReady(withinMs: number): Promise<boolean>;
}

export interface ForwardingOptions {
  readonly hubId: string;
  readonly members: { readonly all: ReadonlyMap<string, Member>; readonly leaderId: string | undefined };
  readonly notices: Notices;
  readonly proof: HubProof;
  readonly clock: Clock;
  readonly open: (address: string) => HubCaller;
  /** A token for the caller of a call that carries none. */
  readonly tokenFor: (call: ServerCall) => Promise<string>;
}

/** Hubs are on the same network. */
const CONNECT_MS = 2_000;

type Handler = (request: unknown, call: ServerCall) => unknown;

const codes: PeerCodes = { unreachable: 'hub.unreachable', refused: 'access.unauthenticated' };

/**
 * Forwards calls to the hub that has to answer them, because callers may reach any hub. The other hub authorizes the
 * caller itself, by the caller's own token.
 */
export class Forwarding {
  readonly #options: ForwardingOptions;
  /** By hub id. */
  readonly #callers = new Map<string, HubCaller>();
  /** Tokens of connections that have authenticated once. */
  readonly #tokens = new WeakMap<Connection, Promise<string>>();

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  /**
   * Wraps a service, some of whose calls another hub may answer. Calls with a request stream are always answered here.
   */
  wrap<D extends ServiceDefinition>(
    definition: D,
    handlers: ServiceHandlers<D>,
    rules: ForwardingRules,
  ): ServiceHandlers<D> {
    const wrapped = Object.entries(handlers as Record<string, Handler>).map(([name, handler]): [string, Handler] => {
      const method = definition.methods[name];
      const rule = rules[name];
      if (rule === undefined || method === undefined || method.requestStream) return [name, handler];
      return [
        name,
        method.responseStream
          ? (request, call) => this.#stream(definition, name, handler, rule, request, call)
          : (request, call) => this.#call(definition, name, handler, rule, request, call),
      ];
    });
    return Object.fromEntries(wrapped) as ServiceHandlers<D>;
  }

  /**
   * Whether another hub has forwarded this. It is then answered here, or two hubs with different views could forward it
   * in circles.
   */
  isForwarded(headers: ServerCall['metadata']): boolean {
    return this.#options.proof.isGood(firstValue(headers, HUB_PROOF_HEADER));
  }

  /** The hub with this id, if it is alive and not this one. */
  otherHub(hubId: string | undefined): Member | undefined {
    return hubId === undefined || hubId === this.#options.hubId ? undefined : this.#options.members.all.get(hubId);
  }

  close(): void {
    for (const caller of this.#callers.values()) caller.close();
    this.#callers.clear();
  }

  async #call(
    definition: ServiceDefinition,
    name: string,
    handler: Handler,
    rule: ForwardingRule,
    request: unknown,
    call: ServerCall,
  ): Promise<unknown> {
    const hub = await this.#hubFor(rule, await partOf(rule, request, call), call);
    if (hub === undefined) return handler(request, call);
    const { start } = this.#callerOf(hub);
    const { clock } = this.#options;
    const timeoutMs = call.deadline === undefined ? undefined : Math.max(1, call.deadline - clock.monotonic());
    const metadata = await this.#metadata(call, hub);
    return callPeer(start, definition, name, request, { metadata, timeoutMs, codes });
  }

  async *#stream(
    definition: ServiceDefinition,
    name: string,
    handler: Handler,
    rule: ForwardingRule,
    request: unknown,
    call: ServerCall,
  ): AsyncGenerator<unknown> {
    const partId = await partOf(rule, request, call);
    const hub = await this.#hubFor(rule, partId, call);
    if (hub !== undefined) {
      const options = { metadata: await this.#metadata(call, hub), timeoutMs: undefined, codes, signal: call.signal };
      yield* streamFromPeer(this.#callerOf(hub).start, definition, name, request, options);
      return;
    }
    const answers = handler(request, call) as AsyncIterable<unknown>;
    // A leader leads until it ends.
    yield* rule.to === 'leader' ? answers : this.#whileHere(partId, answers);
  }

  /** The answers, until the part connects to another hub: only that hub then knows of changes. */
  async *#whileHere(partId: string, answers: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    const { notices, hubId } = this.#options;
    // Rejects the current wait only: one promise for the whole stream would keep every answer in memory.
    let fail: (error: Error) => void = () => undefined;
    let moved: ArmatureError | undefined;
    const leave = (): void => {
      moved = movedAway();
      fail(moved);
    };
    const unsubscribes = [
      notices.on((notice) => {
        if (notice.kind === 'connected' && notice.partId === partId && notice.hubId !== hubId) leave();
      }),
      notices.onLost(leave),
    ];
    const reader = answers[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
          fail = reject;
          if (moved === undefined) reader.next().then(resolve, reject);
          else reject(moved);
        });
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      for (const unsubscribe of unsubscribes) unsubscribe();
      void reader.return?.().catch(() => undefined);
    }
  }

  async #hubFor(rule: ForwardingRule, partId: string, call: ServerCall): Promise<Member | undefined> {
    if (this.isForwarded(call.metadata)) return undefined;
    if (rule.to === 'leader') return this.otherHub(this.#options.members.leaderId);
    const hub = partId === '' ? undefined : this.otherHub(await rule.homeOf(partId));
    // A hub that was just killed may still count as alive. A call about a part is then answered here: what it stores is
    // pushed by the hub that the part is connected to. Calls for the leader are not, because two hubs must not do its
    // work.
    return hub !== undefined && (await this.#callerOf(hub).isReady(CONNECT_MS)) ? hub : undefined;
  }

  #callerOf({ id, address }: Member): HubCaller {
    const known = this.#callers.get(id);
    if (known !== undefined) return known;
    // A hub that restarts has a new id, so connections to dead hubs are closed.
    for (const [other, caller] of this.#callers) {
      if (this.#options.members.all.has(other)) continue;
      caller.close();
      this.#callers.delete(other);
    }
    const caller = this.#options.open(address);
    this.#callers.set(id, caller);
    return caller;
  }

  async #metadata(call: ServerCall, { id }: Member): Promise<MetadataRecord> {
    const metadata = {
      ...forwardedMetadata(call.metadata, NOT_FORWARDED),
      [HUB_PROOF_HEADER]: this.#options.proof.for(id),
    };
    if (call.metadata['authorization'] !== undefined) return metadata;
    const { connection } = call;
    const asked = this.#tokens.get(connection) ?? this.#options.tokenFor(call);
    this.#tokens.set(connection, asked);
    asked.catch(() => this.#tokens.delete(connection));
    return { ...metadata, authorization: `Bearer ${await asked}` };
  }
}

function movedAway(): ArmatureError {
  return new ArmatureError(
    'part.unreachable',
    'The machine has moved to another hub of this fleet. Try again: the call is then forwarded to that hub.',
  );
}

/** Id of the part that a request is about; '' if there is none. */
function partOf(rule: ForwardingRule, request: unknown, call: ServerCall): string | Promise<string> {
  return rule.to === 'part' ? rule.partOf(request, call) : '';
}

/** Metadata that is only for the server that the caller has connected to. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'cookie',
  'grpc-timeout',
  'origin',
  'user-agent',
  HUB_PROOF_HEADER,
]);
