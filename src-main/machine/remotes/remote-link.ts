import { isDeepStrictEqual } from 'node:util';
import { HealthDefinition } from '../../../proto/gen/grpc/health/v1/health.ts';
import { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import { fullName } from '../../../proto/config/names.ts';
import { onAbort } from '../../base/async/abort.ts';
import { backoffDelayMs } from '../../base/async/backoff.ts';
import { sleep, type Clock } from '../../base/clock.ts';
import { aliasPath, namespaceIn } from '../../base/dialect.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ServerAddress } from '../../base/server-address.ts';
import { callPeer, streamFromPeer, type StartCall } from '../../rpc/peer/outbound-call.ts';
import { isLoopbackHost } from '../../rpc/tracked-connection.ts';
import type { RemoteConfig } from '../config/machine-config.ts';
import { remoteCodes, RemoteSession } from './remote-session.ts';

/** A connection to another machine, which may break at any time: calls then end with UNAVAILABLE. */
export interface RemoteCaller {
  readonly start: StartCall;
  /** Ends every call. */
  close(): void;
}

/** A resource of another machine, by its name there. */
export interface FoundThere {
  /** Triplet in our spelling. */
  readonly api: string;
  readonly name: string;
}

/** What another machine has, for as long as one connection to it holds. */
export interface RemoteConnection {
  /** Starts calls there, with what proves who this machine is. Paths are in our spelling. */
  readonly start: StartCall;
  /** Aborts when the connection is lost, or not wanted any more. */
  readonly closed: AbortSignal;
}

export interface RemoteLinkOptions {
  readonly config: RemoteConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Makes a connection of its own each time. What is wrong with the other machine shows with the first call. */
  readonly connect: (address: ServerAddress) => Promise<RemoteCaller>;
  /** `-allow-insecure-creds`: keys may go in clear text to other computers. */
  readonly allowsInsecureCreds: boolean;
  readonly onChange: () => void;
}

/** Longest wait for an answer that needs no thinking. */
const ANSWER_MS = 10_000;
/** Retries become rarer, up to this. */
const RAREST_MS = 30_000;

/** Keeps this machine connected to another one, for as long as it is configured, and knows what that has. */
export class RemoteLink {
  readonly config: RemoteConfig;
  readonly #options: RemoteLinkOptions;
  readonly #ending = new AbortController();
  #connection: RemoteConnection | undefined;
  #found: readonly FoundThere[] = [];
  #reason = 'it is being connected to';
  #failures = 0;

  constructor(options: RemoteLinkOptions) {
    this.config = options.config;
    this.#options = options;
    const { isDisabled, problems } = this.config;
    const wrong = problems.find(({ severity }) => severity === 'error');
    if (isDisabled) this.#reason = 'it is disabled';
    else if (wrong !== undefined) this.#reason = wrong.message;
    else void this.#run();
  }

  /** Undefined while there is none. */
  get connection(): RemoteConnection | undefined {
    return this.#connection;
  }

  /** What it has, or had when it was last connected. */
  get found(): readonly FoundThere[] {
    return this.#found;
  }

  /** Why there is no connection. */
  get reason(): string {
    return this.#reason;
  }

  /** Whether it has failed since it was last connected. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  close(): void {
    this.#ending.abort();
  }

  async #run(): Promise<void> {
    const { clock, random, config } = this.#options;
    const { signal } = this.#ending;
    const maxMs = Math.max(RAREST_MS, config.reconnectMs);
    const backoff = { firstMs: config.reconnectMs, maxMs, factor: 2, jitter: 0.3 };
    while (!signal.aborted) {
      try {
        await this.#hold();
      } catch (thrown) {
        this.#lost(toArmatureError(thrown).message);
      }
      await sleep(clock, backoffDelayMs(backoff, Math.max(1, this.#failures), random()), signal);
    }
  }

  /** Connects, and stays until the connection is lost: rejects then. Settles where it is not wanted any more. */
  async #hold(): Promise<void> {
    const { clock, config, connect, logger, onChange, allowsInsecureCreds } = this.#options;
    const { signal } = this.#ending;
    if (!allowsInsecureCreds) requireSafeKey(config);
    const caller = await connect(config.address);
    const lost = new AbortController();
    const closed = AbortSignal.any([signal, lost.signal]);
    const forget = onAbort(signal, () => caller.close());
    try {
      const proof = await authenticate(caller, config);
      const proven: StartCall = (path, metadata, timeoutMs, responder) =>
        caller.start(aliasPath(path), { ...metadata, ...proof }, timeoutMs, responder);
      this.#found = await resourcesOf(proven);
      const { start } = await RemoteSession.begin(proven, clock, closed);
      this.#connection = { start, closed };
      this.#failures = 0;
      logger.info(`connected to the remote ${config.name} at ${config.address.text}`);
      onChange();
      let failure: ArmatureError | undefined;
      watchUntilLost(start).catch((thrown: unknown) => {
        failure = toArmatureError(thrown);
        lost.abort(failure);
      });
      for (;;) {
        await sleep(clock, config.checkMs, closed);
        if (closed.aborted) break;
        const found = await resourcesOf(start);
        if (isDeepStrictEqual(found, this.#found)) continue;
        this.#found = found;
        onChange();
      }
      if (failure !== undefined) throw failure;
    } finally {
      forget();
      lost.abort(new ArmatureError('remote.unreachable', `The remote ${config.name} is not connected any more.`));
      caller.close();
    }
  }

  #lost(why: string): void {
    const { config, logger, onChange } = this.#options;
    const before = this.#reason;
    const wasConnected = this.#connection !== undefined;
    this.#connection = undefined;
    if (this.#ending.signal.aborted) return;
    this.#failures++;
    this.#reason = why;
    // Tried again and again: said once.
    if (wasConnected || before !== why) {
      logger.warn(`The remote ${config.name} at ${config.address.text} is not reached, and is tried again: ${why}`);
    }
    onChange();
  }
}

/** @throws {ArmatureError} `access.denied` where a key would go in clear text to another computer */
function requireSafeKey({ address, credentials }: RemoteConfig): void {
  if (credentials === undefined || address.isEncrypted || isLoopbackHost(address.host)) return;
  throw new ArmatureError(
    'access.denied',
    `its key would go in clear text to ${address.host}: use https://, or start the server with -allow-insecure-creds.`,
  );
}

/** What proves this machine to the other one: nothing where nothing is configured, or that asks for nothing. */
async function authenticate(
  caller: RemoteCaller,
  { credentials }: RemoteConfig,
): Promise<Readonly<Record<string, string>>> {
  if (credentials === undefined) return {};
  const { type, entity, payload } = credentials;
  const request = { entity, credentials: { type, payload } };
  const options = { timeoutMs: ANSWER_MS, codes: remoteCodes };
  try {
    const { accessToken } = await callPeer(caller.start, AuthServiceDefinition, 'authenticate', request, options);
    return { authorization: `Bearer ${accessToken}` };
  } catch (thrown) {
    if (thrown instanceof ArmatureError && thrown.code === 'call.unimplemented') return {};
    throw thrown;
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

/** Rejects when the connection is lost: nobody has to wait for the next check. A machine that cannot be watched is only checked. */
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
