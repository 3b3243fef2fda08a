import { isDeepStrictEqual } from 'node:util';
import { HealthDefinition } from '../../../proto/gen/grpc/health/v1/health.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import { fullName } from '../../../proto/config/names.ts';
import { findApi } from '../../apis/all.ts';
import { onAbort } from '../../base/async/abort.ts';
import { backoffDelayMs } from '../../base/async/backoff.ts';
import { sleep } from '../../base/clock.ts';
import { namespaceIn, protoNameIn } from '../../base/dialect.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { callPeer, streamFromPeer, type StartCall } from '../../rpc/peer/outbound-call.ts';
import type { RemoteConfig } from '../config/machine-config.ts';
import type { ApiSource } from '../foreign/foreign-apis.ts';
import { ANSWER_MS, connectRemote, type RemoteConnectOptions } from './remote-connect.ts';
import { remoteCodes, RemoteSession } from './remote-session.ts';
import type { RemoteStatus } from './remote-status.ts';

/** A resource of another machine, by its name there. */
export interface FoundThere {
  /** Triplet in our spelling. */
  readonly api: string;
  readonly name: string;
}

/** The contents of another machine, valid for one connection to it. */
export interface RemoteConnection {
  /** Starts authenticated calls there. Paths are in our spelling. */
  readonly start: StartCall;
  /** Aborts when the connection is lost, or no longer wanted. */
  readonly closed: AbortSignal;
}

export interface RemoteLinkOptions extends RemoteConnectOptions {
  readonly config: RemoteConfig;
  /** Observes the calls to a remote, by its name. */
  readonly outbound?: (remote: string, start: StartCall) => StartCall;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly onChange: () => void;
}

/** Longest delay between retries. */
const MAX_RETRY_DELAY_MS = 30_000;

/** Keeps this machine connected to another one while it is configured, and knows the other machine's resources. */
export class RemoteLink {
  readonly config: RemoteConfig;
  readonly #options: RemoteLinkOptions;
  readonly #ending = new AbortController();
  #connection: RemoteConnection | undefined;
  #source: ApiSource | undefined;
  #found: readonly FoundThere[] = [];
  /** The services of APIs that this program has no definition of. */
  #services: ReadonlyMap<string, string> = new Map();
  #status: RemoteStatus;

  constructor(options: RemoteLinkOptions) {
    this.config = options.config;
    this.#options = options;
    const { name, address, isDisabled, problems } = this.config;
    const wrong = problems.find(({ severity }) => severity === 'error');
    this.#status = {
      name,
      address: address.text,
      state: isDisabled ? 'disabled' : wrong === undefined ? 'connecting' : 'failed',
      reason: isDisabled ? '' : (wrong?.message ?? ''),
      since: options.clock.now(),
      attempts: 0,
      nextRetryAt: undefined,
    };
    if (this.#status.state === 'connecting') void this.#run();
  }

  /** Undefined while there is no connection. */
  get connection(): RemoteConnection | undefined {
    return this.#connection;
  }

  /** Its current resources, or those of its last connection. */
  get found(): readonly FoundThere[] {
    return this.#found;
  }

  /** The service that carries an API there which this program has no definition of; undefined if unknown. */
  serviceOf(api: string): string | undefined {
    return this.#services.get(api);
  }

  /** Describes those services; undefined while there is no connection. */
  get source(): ApiSource | undefined {
    return this.#source;
  }

  /** Why there is no connection. */
  get reason(): string {
    const { state, reason } = this.#status;
    if (state === 'disabled') return 'it is disabled';
    return state === 'connecting' ? 'it is being connected to' : reason;
  }

  /** The same object as long as nothing changes. */
  get status(): RemoteStatus {
    return this.#status;
  }

  /** Whether an attempt has failed since the last connection. */
  get hasFailed(): boolean {
    return this.#status.attempts > 0;
  }

  close(): void {
    this.#ending.abort();
  }

  async #run(): Promise<void> {
    const { clock, random, config } = this.#options;
    const { signal } = this.#ending;
    const maxMs = Math.max(MAX_RETRY_DELAY_MS, config.reconnectMs);
    const backoff = { firstMs: config.reconnectMs, maxMs, factor: 2, jitter: 0.3 };
    while (!signal.aborted) {
      let delayMs = config.reconnectMs;
      try {
        await this.#hold();
      } catch (thrown) {
        delayMs = backoffDelayMs(backoff, this.#status.attempts + 1, random());
        this.#lost(toArmatureError(thrown).message, delayMs);
      }
      await sleep(clock, delayMs, signal);
    }
  }

  /** Connects, and stays connected; rejects when the connection is lost. Settles when it is no longer wanted. */
  async #hold(): Promise<void> {
    const { clock, config, logger, onChange } = this.#options;
    const { signal } = this.#ending;
    const caller = await connectRemote(config, this.#options, signal);
    const lost = new AbortController();
    const closed = AbortSignal.any([signal, lost.signal]);
    const unsubscribe = onAbort(signal, () => caller.close());
    try {
      await this.#learn(caller.start);
      const seen = this.#options.outbound?.(config.name, caller.start) ?? caller.start;
      const { start } = await RemoteSession.begin(seen, clock, closed);
      this.#connection = { start, closed };
      this.#source = this.#sourceAt(start, closed);
      this.#status = {
        ...this.#status,
        state: 'connected',
        reason: '',
        since: clock.now(),
        attempts: 0,
        nextRetryAt: undefined,
      };
      logger.info(`connected to the remote ${config.name} at ${config.address.text}, ${caller.way}`);
      onChange();
      let failure: ArmatureError | undefined;
      watchUntilLost(start).catch((thrown: unknown) => {
        failure = toArmatureError(thrown);
        lost.abort(failure);
      });
      for (;;) {
        await sleep(clock, config.checkMs, closed);
        if (closed.aborted) break;
        if (await this.#learn(start)) onChange();
      }
      if (failure !== undefined) throw failure;
    } finally {
      unsubscribe();
      lost.abort(new ArmatureError('remote.unreachable', `The remote ${config.name} is not connected any more.`));
      caller.close();
    }
  }

  /** @returns whether its resources have changed */
  async #learn(start: StartCall): Promise<boolean> {
    const found = await resourcesOf(start);
    if (isDeepStrictEqual(found, this.#found)) return false;
    const isForeign = found.some(({ api }) => findApi(api) === undefined);
    this.#services = isForeign ? await servicesOf(start) : new Map();
    this.#found = found;
    return true;
  }

  #sourceAt(start: StartCall, closed: AbortSignal): ApiSource {
    const services = (): ReadonlyMap<string, string> => this.#services;
    return {
      label: `the remote ${this.config.name}`,
      get apis() {
        return [...services()].map(([api, service]) => ({ api, service }));
      },
      start,
      closed,
      isToReturn: () => !this.#ending.signal.aborted,
    };
  }

  #lost(why: string, delayMs: number): void {
    const { clock, config, logger, onChange } = this.#options;
    const before = this.#status;
    this.#connection = undefined;
    this.#source = undefined;
    if (this.#ending.signal.aborted) return;
    const now = clock.now();
    this.#status = {
      ...before,
      state: 'failed',
      reason: why,
      since: before.state === 'failed' ? before.since : now,
      attempts: before.attempts + 1,
      nextRetryAt: now + delayMs,
    };
    // Retried many times, but logged once. A stable connection has no reason.
    if (before.reason !== why) {
      logger.warn(`The remote ${config.name} at ${config.address.text} is not reached, and is tried again: ${why}`);
    }
    onChange();
  }
}

async function resourcesOf(start: StartCall): Promise<readonly FoundThere[]> {
  const options = { timeoutMs: ANSWER_MS, codes: remoteCodes };
  const { resources } = await callPeer(start, RobotServiceDefinition, 'resourceNames', {}, options);
  const found = resources.map(({ namespace, type, subtype, name }) => ({
    api: `${namespaceIn(namespace, 'core')}:${type}:${subtype}`,
    name,
  }));
  return [...new Map(found.map((one) => [fullName(one.api, one.name), one])).values()];
}

/** The services of the APIs that this program has no definition of; none if the other machine does not list them. */
async function servicesOf(start: StartCall): Promise<ReadonlyMap<string, string>> {
  const options = { timeoutMs: ANSWER_MS, codes: remoteCodes };
  try {
    const { resourceRpcSubtypes } = await callPeer(start, RobotServiceDefinition, 'resourceRPCSubtypes', {}, options);
    const named = resourceRpcSubtypes.flatMap(({ subtype, protoService }) => {
      if (subtype === undefined || protoService === '') return [];
      const api = `${namespaceIn(subtype.namespace, 'core')}:${subtype.type}:${subtype.subtype}`;
      return findApi(api) === undefined ? [[api, protoNameIn(protoService, 'core')] as const] : [];
    });
    return new Map(named);
  } catch (thrown) {
    if (thrown instanceof ArmatureError && thrown.code === 'call.unimplemented') return new Map();
    throw thrown;
  }
}

/** Rejects at once when the connection is lost. A machine without a watch stream is only polled. */
async function watchUntilLost(start: StartCall): Promise<never> {
  const options = { timeoutMs: undefined, codes: remoteCodes };
  try {
    for await (const _state of streamFromPeer(start, HealthDefinition, 'watch', { service: '' }, options));
    throw new ArmatureError('remote.unreachable', 'it ended the connection.');
  } catch (thrown) {
    const isLost = thrown instanceof ArmatureError && thrown.code === 'remote.unreachable';
    if (isLost) throw thrown;
    return new Promise<never>(() => undefined);
  }
}
