import {
  type Accepted,
  type Hello,
  PartServiceDefinition,
  type StatusReport,
  type StoredConfig,
} from '../../../proto/gen/core/hub/v1/part.ts';
import { backoffDelayMs, type BackoffOptions } from '../../base/async/backoff.ts';
import { sleep, type Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError, toArmatureError, type ErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import type { MessagePipe } from '../../rpc/channel/pipe.ts';
import { callPeer, sendToPeer, streamFromPeer, type PeerCaller } from '../../rpc/peer/outbound-call.ts';
import { receivedError } from '../../rpc/peer/received-error.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../rpc/service.ts';
import { hubCodes } from './hub-caller.ts';
import { HubSession } from './hub-session.ts';
import { HubToken } from './hub-token.ts';
import type { HubCredentials } from './cloud-settings.ts';

/** The state of the connection to the hub. `since` is wall-clock time, milliseconds. */
export type HubState =
  | { readonly kind: 'connecting'; readonly since: number; readonly message: '' }
  /** The stream is open. */
  | { readonly kind: 'online'; readonly since: number; readonly message: '' }
  /** There is no stream, but calls are answered: configurations are polled. */
  | { readonly kind: 'polling'; readonly since: number; readonly message: string }
  | { readonly kind: 'offline'; readonly since: number; readonly message: string }
  /** The hub does not accept the credentials. */
  | { readonly kind: 'refused'; readonly since: number; readonly message: string };

/** An update from the hub about the configuration: a new one, or the revision of its current one ('' for none). */
export type HubUpdate =
  { readonly kind: 'config'; readonly stored: StoredConfig } | { readonly kind: 'revision'; readonly revision: string };

export interface HubLinkOptions {
  /** Called whenever it is needed: a hub in this process knows it only after opening. */
  readonly partId: () => string;
  /** For messages: the address as it was written. */
  readonly hubName: string;
  /** Undefined for a hub in this process, which asks for none. */
  readonly credentials: HubCredentials | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Makes a new connection each time. */
  readonly connect: () => Promise<PeerCaller>;
  /** The part's description of itself, sent when it connects. */
  readonly hello: () => Omit<Hello, 'partId'>;
  /** Answers calls of the hub, its own and those of its callers; each pipe is another caller. */
  readonly serve: (pipe: MessagePipe) => void;
  readonly onAccepted: (accepted: Accepted) => void;
  readonly onUpdate: (news: HubUpdate) => void;
  readonly onRestart: () => void;
}

/** If the credentials do not belong to the part, a hub answers that the part does not exist. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['hub.refused', 'access.denied', 'call.not_found']);
/** Longest wait for an answer. */
const ANSWER_MS = 10_000;
/** A connection that lasted this long was stable: the next attempt after it comes soon. */
const STABLE_MS = 10_000;
/**
 * With the time of an attempt, it stays below the 15 s in which a change must arrive. The random part is large, so that
 * the parts of a restarted hub do not all reconnect at once.
 */
const RECONNECT_BACKOFF: BackoffOptions = { firstMs: 200, maxMs: 10_000, factor: 2, jitter: 0.9 };
/** Wrong credentials stay wrong, and the hub counts failed attempts. */
const REFUSED_BACKOFF: BackoffOptions = { firstMs: 2_000, maxMs: 60_000, factor: 2, jitter: 0.5 };

/** Keeps this part connected to its hub; never stops reconnecting. */
export class HubLink {
  readonly #options: HubLinkOptions;
  readonly #token: HubToken;
  readonly #changed = new Emitter();
  #state: HubState;
  /** Of the current connection attempt or connection. */
  #caller: PeerCaller | undefined;
  #session: HubSession | undefined;
  #isStarted = false;
  readonly #closing = new AbortController();

  constructor(options: HubLinkOptions) {
    this.#options = options;
    this.#token = new HubToken(options.credentials, ANSWER_MS);
    this.#state = { kind: 'connecting', since: options.clock.now(), message: '' };
  }

  get state(): HubState {
    return this.#state;
  }

  /** Whether the hub answers calls. */
  get isConnected(): boolean {
    return this.#state.kind === 'online' || this.#state.kind === 'polling';
  }

  /** Id of this part; '' where a hub in this process is not open yet. */
  get partId(): string {
    return this.#options.partId();
  }

  /** For messages. */
  get hubName(): string {
    return this.#options.hubName;
  }

  /** Calls back after each change of {@link state}. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /** Connects, and connects again whenever the connection is lost. Once. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#run();
  }

  close(): void {
    this.#closing.abort();
    this.#caller?.close();
  }

  /**
   * Calls the hub as this part.
   * @throws {ArmatureError} `hub.unreachable` while there is no connection, else what the hub says
   */
  async call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    timeoutMs: number = ANSWER_MS,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    return this.#call(this.#connected(), service, method, request, timeoutMs, metadata);
  }

  /**
   * Calls the hub as this part with several requests, which it reads one after the other.
   * @param requests read again if the hub asks for a new token
   * @throws {ArmatureError} `hub.unreachable` while there is no connection, the hub's error, and errors of `requests`
   */
  async send<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    requests: () => AsyncIterable<RequestOf<D['methods'][K]>> | Iterable<RequestOf<D['methods'][K]>>,
    timeoutMs: number,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    const caller = this.#connected();
    return this.#proven(caller, (proof) =>
      sendToPeer(caller.start, service, method, requests(), {
        metadata: { ...metadata, ...proof },
        timeoutMs,
        codes: hubCodes,
      }),
    );
  }

  /**
   * Calls the hub as this part and returns its messages, one at a time: the hub waits for the reader. Ends when the hub
   * or the reader ends it, or `signal` aborts.
   * @throws {ArmatureError} `hub.unreachable` while there is no connection and when it is lost, else the hub's error
   */
  async *stream<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    signal: AbortSignal,
  ): AsyncGenerator<ResponseOf<D['methods'][K]>> {
    const caller = this.#connected();
    for (let attempt = 1; ; attempt++) {
      const metadata = await this.#token.metadata(caller);
      const options = { metadata, timeoutMs: undefined, codes: hubCodes, signal };
      let hasBegun = false;
      try {
        for await (const answer of streamFromPeer(caller.start, service, method, request, options)) {
          hasBegun = true;
          yield answer;
        }
        return;
      } catch (thrown) {
        if (!hasBegun && attempt === 1 && isRefused(thrown) && this.#token.forget()) continue;
        throw this.#caller === caller || signal.aborted ? thrown : this.#notConnected();
      }
    }
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #connected(): PeerCaller {
    const caller = this.#caller;
    const { kind } = this.#state;
    if (caller === undefined || (kind !== 'online' && kind !== 'polling')) throw this.#notConnected();
    return caller;
  }

  #call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    caller: PeerCaller,
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    timeoutMs: number,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    return this.#proven(caller, (proof) =>
      callPeer(caller.start, service, method, request, {
        metadata: { ...metadata, ...proof },
        timeoutMs,
        codes: hubCodes,
      }),
    );
  }

  /** Makes a call with the access token of this part. */
  async #proven<T>(caller: PeerCaller, call: (proof: Readonly<Record<string, string>>) => Promise<T>): Promise<T> {
    try {
      return await call(await this.#token.metadata(caller));
    } catch (thrown) {
      // The token has expired, or another hub answers now.
      if (!isRefused(thrown) || !this.#token.forget()) throw thrown;
      return call(await this.#token.metadata(caller));
    }
  }

  /** Settles when the first attempt to connect has succeeded or failed, or after the time limit of an answer. */
  async tried(): Promise<void> {
    if (this.#state.kind !== 'connecting' || !this.#isStarted) return;
    const { clock } = this.#options;
    let unsubscribe = (): void => undefined;
    const changed = () => new Promise<void>((resolve) => (unsubscribe = this.onChange(resolve)));
    await withTimeout(changed, { clock, ms: ANSWER_MS, onTimeout: () => undefined });
    unsubscribe();
  }

  /** Sends the part's status to the hub; does nothing while there is no stream. */
  report(status: StatusReport): void {
    this.#session?.report(status);
  }

  #notConnected(): ArmatureError {
    const { message } = this.#state;
    const why = message === '' ? 'it is still being connected to' : message;
    return new ArmatureError('hub.unreachable', `There is no connection to the hub ${this.hubName}: ${why}`);
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    for (let failures = 0; !this.#isClosed;) {
      const heldMs = await this.#try();
      failures = heldMs >= STABLE_MS ? 1 : failures + 1;
      const backoff = this.#state.kind === 'refused' ? REFUSED_BACKOFF : RECONNECT_BACKOFF;
      await sleep(clock, backoffDelayMs(backoff, failures, random()), this.#closing.signal);
    }
  }

  /**
   * One connection from start to end.
   * @returns how long the stream was open, milliseconds
   */
  async #try(): Promise<number> {
    const { clock } = this.#options;
    let openedAt: number | undefined;
    try {
      const caller = await this.#options.connect();
      this.#replaceCaller(caller);
      if (this.#isClosed) return 0;
      await this.#hold(caller, () => (openedAt = clock.monotonic()));
    } catch (thrown) {
      await this.#lost(toArmatureError(thrown), openedAt !== undefined);
      return openedAt === undefined ? 0 : clock.monotonic() - openedAt;
    }
    return 0;
  }

  /** Keeps the stream open. Rejects with the reason when it ends. */
  async #hold(caller: PeerCaller, onOpen: () => void): Promise<never> {
    for (let attempt = 1; ; attempt++) {
      const metadata = await this.#token.metadata(caller);
      try {
        await this.#openSession(caller, metadata, { partId: this.#options.partId(), ...this.#options.hello() }, onOpen);
      } catch (thrown) {
        if (attempt > 1 || !isRefused(thrown) || !this.#token.forget()) throw thrown;
      }
    }
  }

  #openSession(
    caller: PeerCaller,
    metadata: Readonly<Record<string, string>>,
    hello: Hello,
    onOpen: () => void,
  ): Promise<never> {
    const { clock, onAccepted, onUpdate, onRestart, serve } = this.#options;
    return new Promise((_resolve, reject) => {
      const limit = clock.after(ANSWER_MS, () => session.close('the hub did not accept the stream in time'));
      const session = new HubSession(caller, metadata, hello, {
        accepted: (accepted) => {
          limit.cancel();
          if (this.#session !== session) {
            this.#session = session;
            onOpen();
            onAccepted(accepted);
            this.#setState({ kind: 'online', since: clock.now(), message: '' });
            onUpdate({ kind: 'revision', revision: accepted.revision });
          } else {
            onAccepted(accepted);
          }
        },
        config: (stored) => onUpdate({ kind: 'config', stored }),
        restart: onRestart,
        channel: serve,
        ended: (status, trailers) => {
          limit.cancel();
          if (this.#session === session) this.#session = undefined;
          reject(
            status.code === 0
              ? new ArmatureError('hub.unreachable', 'it ended the stream')
              : receivedError(status, trailers, hubCodes),
          );
        },
      });
      serve(session.pipe);
    });
  }

  /** The stream was lost or never opened; calls may still be answered. */
  async #lost(error: ArmatureError, wasOpen: boolean): Promise<void> {
    if (this.#isClosed) return;
    const since = this.#options.clock.now();
    if (REFUSALS.has(error.code)) {
      this.#setState({ kind: 'refused', since, message: error.message });
    } else if (!wasOpen && (await this.#poll())) {
      this.#setState({ kind: 'polling', since, message: error.message });
      return;
    } else {
      this.#setState({ kind: 'offline', since, message: error.message });
    }
    this.#replaceCaller(undefined);
  }

  async #poll(): Promise<boolean> {
    const caller = this.#caller;
    if (caller === undefined) return false;
    const { hello, onUpdate } = this.#options;
    const partId = this.#options.partId();
    const { revision } = hello();
    try {
      const { config } = await this.#call(caller, PartServiceDefinition, 'getConfig', { partId, revision }, ANSWER_MS);
      onUpdate(config === undefined ? { kind: 'revision', revision } : { kind: 'config', stored: config });
      return true;
    } catch {
      return false; // the stream reports the reason
    }
  }

  #replaceCaller(caller: PeerCaller | undefined): void {
    this.#caller?.close();
    this.#caller = caller;
    if (this.#isClosed) caller?.close();
  }

  #setState(state: HubState): void {
    const before = this.#state;
    if (state.kind === before.kind && state.message === before.message) return;
    this.#state = state;
    this.#logState(state);
    this.#changed.emit();
  }

  #logState({ kind, message }: HubState): void {
    const { logger } = this.#options;
    const partId = this.#options.partId();
    if (kind === 'online') logger.info(`connected to the hub ${this.hubName} as part ${partId}`);
    else if (kind === 'polling')
      logger.warn(`The hub ${this.hubName} keeps no stream open (${message}): the machine polls it instead.`);
    else if (kind === 'offline')
      logger.warn(`The hub ${this.hubName} is not reached: ${message}. The machine goes on with what it runs.`);
    else if (kind === 'refused') {
      logger.error(
        `The hub ${this.hubName} does not accept the credentials of part ${partId}: ${message}. Check "cloud" in the configuration file; the machine goes on with what it runs.`,
      );
    }
  }
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof ArmatureError && thrown.code === 'hub.refused';
}
