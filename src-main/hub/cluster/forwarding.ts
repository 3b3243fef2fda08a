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
  /** What is done for all of them. */
  | { readonly to: 'leader' }
  | {
      readonly to: 'part';
      /** Id of the part that a request is about; '' where it names none. */
      readonly partOf: (request: unknown, call: ServerCall) => string | Promise<string>;
      /** Id of the hub that has the part; undefined for one that is away. */
      readonly homeOf: (partId: string) => Promise<string | undefined>;
    };

/** By the name of the method. What has no rule is answered by any hub. */
export type ForwardingRules = Readonly<Record<string, ForwardingRule>>;

/** A connection to another hub. */
export interface HubCaller extends PeerCaller {
  /** Whether there is a connection, or comes about at the first try and within this time. */
  isReady(withinMs: number): Promise<boolean>;
}

export interface ForwardingOptions {
  readonly hubId: string;
  readonly members: { readonly all: ReadonlyMap<string, Member>; readonly leaderId: string | undefined };
  readonly notices: Notices;
  readonly proof: HubProof;
  readonly clock: Clock;
  readonly open: (address: string) => HubCaller;
  /** A token for who makes a call that has none of its own. */
  readonly tokenFor: (call: ServerCall) => Promise<string>;
}

/** Hubs are near each other. */
const CONNECT_MS = 2_000;

type Handler = (request: unknown, call: ServerCall) => unknown;

const codes: PeerCodes = { unreachable: 'hub.unreachable', refused: 'access.unauthenticated' };

/**
 * Passes calls on to the hub that has to answer them: whoever calls may have come to any of them. The other one
 * decides about the caller itself, by the caller's own token.
 */
export class Forwarding {
  readonly #options: ForwardingOptions;
  /** By the id of their hub. */
  readonly #callers = new Map<string, HubCaller>();
  /** Of connections that have proved once who they are. */
  readonly #tokens = new WeakMap<Connection, Promise<string>>();

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  /** The same service, some of whose calls another hub may answer. Client streams are always answered here. */
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

  /** Whether another hub has passed this on: once, or two that take each other for the right one passed it to and fro. */
  hasPassedOn(headers: ServerCall['metadata']): boolean {
    return this.#options.proof.isGood(firstValue(headers, HUB_PROOF_HEADER));
  }

  /** A hub that is there, and is not this one. */
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
    // Who leads does so until it ends.
    yield* rule.to === 'leader' ? answers : this.#whileHere(partId, answers);
  }

  /** The answers, until the part connects to another hub: what is known of it is there from then on. */
  async *#whileHere(partId: string, answers: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    const { notices, hubId } = this.#options;
    // Of the answer that is waited for; one promise for all of them would keep every answer there was.
    let fail: (error: Error) => void = () => undefined;
    let moved: ArmatureError | undefined;
    const leave = (): void => {
      moved = movedAway();
      fail(moved);
    };
    const endings = [
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
      for (const end of endings) end();
      void reader.return?.().catch(() => undefined);
    }
  }

  async #hubFor(rule: ForwardingRule, partId: string, call: ServerCall): Promise<Member | undefined> {
    if (this.hasPassedOn(call.metadata)) return undefined;
    if (rule.to === 'leader') return this.otherHub(this.#options.members.leaderId);
    const hub = partId === '' ? undefined : this.otherHub(await rule.homeOf(partId));
    // A hub that was killed a moment ago is taken for alive still. What this one stores for the part is pushed by
    // whichever hub the part is at. What is done for all hubs is not done by two.
    return hub !== undefined && (await this.#callerOf(hub).isReady(CONNECT_MS)) ? hub : undefined;
  }

  #callerOf({ id, address }: Member): HubCaller {
    const known = this.#callers.get(id);
    if (known !== undefined) return known;
    // A hub that starts again is another one: here are those that went.
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
    'The machine connects to another hub of this fleet now. Ask again: the call is passed on to that one.',
  );
}

/** Id of the part that a request is about; '' for what is about none. */
function partOf(rule: ForwardingRule, request: unknown, call: ServerCall): string | Promise<string> {
  return rule.to === 'part' ? rule.partOf(request, call) : '';
}

/** What a caller, or its browser, says to the server that it has connected to. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'cookie',
  'grpc-timeout',
  'origin',
  'user-agent',
  HUB_PROOF_HEADER,
]);
