import { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import type { Clock } from '../../base/clock.ts';
import { aliasPath } from '../../base/dialect.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { isFleetName, showHostAndPort, type ServerAddress } from '../../base/server-address.ts';
import { callPeer, type PeerCaller } from '../../rpc/peer/outbound-call.ts';
import { isLoopbackHost } from '../../rpc/tracked-connection.ts';
import type { DialOptions, DialledMachine } from '../../rpc/webrtc/dial.ts';
import type { RemoteConfig } from '../config/machine-config.ts';
import { remoteCodes } from './remote-session.ts';

/** An authenticated connection to another machine. Paths are in our spelling. */
export interface ProvenCaller extends PeerCaller {
  /** For messages. */
  readonly way: string;
}

/** How connections are opened over WebRTC. */
export interface WebRtcDialling {
  readonly dial: (options: Omit<DialOptions, 'library' | 'clock'>) => Promise<DialledMachine>;
  /** Makes a connection to the hub of this machine, which signals for its fleet; undefined without a hub. */
  readonly hub: (() => Promise<PeerCaller>) | undefined;
}

export interface RemoteConnectOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes a new connection each time. Problems of the other machine appear with the first call. */
  readonly open: (address: ServerAddress) => Promise<PeerCaller>;
  /** Undefined where all connections are direct. */
  readonly webrtc: WebRtcDialling | undefined;
  /** `-allow-insecure-creds`: keys may go in clear text to other computers. */
  readonly allowsInsecureCreds: boolean;
}

/** Longest wait for an answer that takes no work. */
export const ANSWER_MS = 10_000;

/**
 * Connects to another machine: over WebRTC if that is wanted and the other machine supports it, else directly. A
 * machine of the same hub is first looked up at the hub, then at its address.
 * @param signal ends the attempt, and the connection
 * @throws {ArmatureError}
 */
export async function connectRemote(
  config: RemoteConfig,
  options: RemoteConnectOptions,
  signal: AbortSignal,
): Promise<ProvenCaller> {
  const { webrtc } = options;
  const hub = isFleetName(config.address.host) ? webrtc?.hub : undefined;
  if (webrtc === undefined || hub === undefined) return connectAt(config, options, signal);
  let why: string;
  try {
    return await connectBy(await hub(), config, webrtc, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    why = toArmatureError(thrown).message;
  }
  try {
    return await connectAt(config, options, signal);
  } catch (thrown) {
    const { code, message } = toArmatureError(thrown);
    throw new ArmatureError(code, `by the hub: ${why} At its address: ${message}`, { cause: thrown });
  }
}

async function connectBy(
  hub: PeerCaller,
  config: RemoteConfig,
  webrtc: WebRtcDialling,
  signal: AbortSignal,
): Promise<ProvenCaller> {
  const proven = await provenAt(hub, config, 'by the hub');
  try {
    return await dialBy(proven, config, webrtc, signal);
  } catch (thrown) {
    proven.close();
    throw thrown;
  }
}

async function connectAt(
  config: RemoteConfig,
  { open, webrtc, allowsInsecureCreds, logger }: RemoteConnectOptions,
  signal: AbortSignal,
): Promise<ProvenCaller> {
  if (!allowsInsecureCreds) requireSafeKey(config);
  const direct = await provenAt(await open(config.address), config, 'directly');
  if (webrtc === undefined) return direct;
  try {
    return await dialBy(direct, config, webrtc, signal);
  } catch (thrown) {
    if (signal.aborted) {
      direct.close();
      throw thrown;
    }
    // Machines without signaling, and networks without UDP, can still be reached.
    logger.debug(`The remote ${config.name} is connected to directly: ${toArmatureError(thrown).message}`);
    return direct;
  }
}

/** Closes the caller if the other machine refuses the authentication. */
async function provenAt(caller: PeerCaller, config: RemoteConfig, way: string): Promise<ProvenCaller> {
  try {
    const proof = await authenticate(caller, config);
    return {
      way,
      start: (path, metadata, timeoutMs, responder) =>
        caller.start(aliasPath(path), { ...metadata, ...proof }, timeoutMs, responder),
      close: () => caller.close(),
    };
  } catch (thrown) {
    caller.close();
    throw thrown;
  }
}

/** The signaling server gets the authentication: calls over the connection itself need none. */
async function dialBy(
  signaling: ProvenCaller,
  { address }: RemoteConfig,
  { dial }: WebRtcDialling,
  signal: AbortSignal,
): Promise<ProvenCaller> {
  const machine = await dial({
    signaling: signaling.start,
    host: showHostAndPort(address),
    codes: remoteCodes,
    signal,
  });
  void machine.signaled.then(() => signaling.close());
  return {
    way: `over WebRTC, signaled ${signaling.way}`,
    start: (path, metadata, timeoutMs, responder) => machine.start(aliasPath(path), metadata, timeoutMs, responder),
    close: () => machine.close(),
  };
}

/** @throws {ArmatureError} `access.denied` if a key would be sent in clear text to another computer */
function requireSafeKey({ address, credentials }: RemoteConfig): void {
  if (credentials === undefined || address.isEncrypted || isLoopbackHost(address.host)) return;
  throw new ArmatureError(
    'access.denied',
    `its key would go in clear text to ${address.host}: use https://, or start the server with -allow-insecure-creds.`,
  );
}

/**
 * Authenticates this machine to the other one: with nothing if nothing is configured, or the other machine asks for
 * nothing.
 */
async function authenticate(
  caller: PeerCaller,
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
