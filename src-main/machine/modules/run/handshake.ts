import { existsSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { onAbort } from '../../../base/async/abort.ts';
import type { BackoffOptions } from '../../../base/async/backoff.ts';
import { sleep, type Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { retry } from '../../../base/async/retry.ts';
import { StatusCode, type Status } from '../../../base/status.ts';
import { methodPath } from '../../../rpc/peer/outbound-call.ts';
import type { Peer, PeerAddress } from '../../../rpc/peer/peer.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import {
  ModuleServiceDefinition,
  type ReadyRequest,
  type ReadyResponse,
} from '../../../../proto/gen/core/module/v1/module.ts';
import { callModule } from './module-call.ts';
import type { ModuleTiming } from './module-timing.ts';

export interface HandshakeOptions {
  readonly address: PeerAddress;
  /** Where the machine already listens for this module. */
  readonly parentAddress: string;
  readonly openPeer: (address: PeerAddress, signal: AbortSignal) => Promise<Peer>;
  readonly clock: Clock;
  readonly timing: ModuleTiming;
  /** Aborts the handshake, because the process has ended or is no longer needed. Its reason is thrown. */
  readonly signal: AbortSignal;
}

/** A module that has reported ready. */
export interface Handshake {
  readonly peer: Peer;
  readonly answer: ReadyResponse;
}

/** How often the socket is polled for if no event announces it. */
const SOCKET_POLL_MS = 100;
/** Delay between attempts to connect: a process listens soon after its socket exists, but a port may take minutes. */
const CONNECT_PAUSES: BackoffOptions = { firstMs: 5, maxMs: 100, factor: 2, jitter: 0 };

/** Statuses of Ready after which it is called again. */
const retriable: ReadonlySet<StatusCode> = new Set([
  StatusCode.UNAVAILABLE,
  StatusCode.RESOURCE_EXHAUSTED,
  StatusCode.DEADLINE_EXCEEDED,
  StatusCode.CANCELLED,
]);

/**
 * Waits until a started module is ready: for its socket, then a connection, then a positive answer to Ready. One time
 * limit covers everything.
 * @throws {ArmatureError} `module.failed` with what it waited for last, or the reason of `signal`
 */
export async function performHandshake(options: HandshakeOptions): Promise<Handshake> {
  const { address, clock, timing, signal } = options;
  const limit = new AbortController();
  let step = 'its socket did not appear';
  const budget = clock.after(timing.startupMs, () => limit.abort());
  const unsubscribe = onAbort(signal, () => limit.abort());
  let peer: Peer | undefined;
  try {
    if (address.kind === 'unix') await socketAt(address.path, clock, limit.signal);
    for (;;) {
      peer = await connect(options, limit.signal, (why) => (step = `it took no connection (${why})`));
      step = 'it did not answer Ready';
      const answer = await askUntilReady(peer, options, limit.signal, (why) => (step = why));
      if (answer !== undefined) return { peer, answer };
      // The connection is lost, but the process still runs: connects again.
      peer.close('the handshake starts again');
      await sleep(clock, timing.readyPauseMs, limit.signal);
    }
  } catch (thrown) {
    peer?.close('the module did not become ready');
    if (signal.aborted) throw toArmatureError(signal.reason);
    if (!limit.signal.aborted) throw thrown;
    throw new ArmatureError('module.failed', `it was not ready within ${timing.startupMs / 1_000} s: ${step}`);
  } finally {
    budget.cancel();
    unsubscribe();
  }
}

function connect(options: HandshakeOptions, limit: AbortSignal, onFailure: (why: string) => void): Promise<Peer> {
  return retry(() => options.openPeer(options.address, limit), {
    clock: options.clock,
    backoff: CONNECT_PAUSES,
    signal: limit,
    onFailure: (thrown) => onFailure(toArmatureError(thrown).message.replace(/\.$/, '')),
  });
}

/** Undefined if the connection was closed. */
async function askUntilReady(
  peer: Peer,
  { parentAddress, timing, clock }: HandshakeOptions,
  limit: AbortSignal,
  onWait: (why: string) => void,
): Promise<ReadyResponse | undefined> {
  const request = { parentAddress, rawParentAddress: parentAddress, webrtcOffer: '' };
  const unsubscribe = onAbort(limit, () => peer.close('the time to start is over'));
  try {
    while (!peer.isClosed) {
      const { status, answer } = await ready(peer, request, timing.readyTryMs);
      if (answer?.ready === true) return answer;
      // Aborted at the time limit: the previous message is the one to report.
      if (limit.aborted) break;
      const trouble = `Ready failed (${nameOf(status.code)}: ${status.message.replace(/\.$/, '')})`;
      onWait(answer === undefined ? trouble : 'it answered Ready with "not yet"');
      if (answer === undefined && !peer.isClosed && !retriable.has(status.code)) {
        throw new ArmatureError('module.failed', `its ${trouble}`);
      }
      await sleep(clock, timing.readyPauseMs, limit);
    }
    return undefined;
  } finally {
    unsubscribe();
  }
}

function nameOf(code: StatusCode): string {
  return Object.entries(StatusCode).find(([, number]) => number === code)?.[0] ?? String(code);
}

const { ready: READY } = ModuleServiceDefinition.methods;

/** The status of the call; without an answer it is never OK. */
async function ready(
  peer: Peer,
  request: ReadyRequest,
  timeoutMs: number,
): Promise<{ readonly status: Status; readonly answer: ReadyResponse | undefined }> {
  const path = methodPath(ModuleServiceDefinition, READY);
  const { status, answer } = await callModule(peer, path, encodeMessage(READY.requestType, request), timeoutMs);
  if (status.code !== StatusCode.OK) return { status, answer: undefined };
  try {
    return { status, answer: READY.responseType.decode(answer ?? new Uint8Array()) };
  } catch (thrown) {
    // The peer speaks gRPC, but does not have this service.
    const message = `its answer cannot be read: ${toArmatureError(thrown).message}`;
    return { status: { code: StatusCode.INTERNAL, message }, answer: undefined };
  }
}

/** Settles when the socket exists. */
function socketAt(socketPath: string, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let watcher: FSWatcher | undefined;
    const look = (): void => {
      if (existsSync(socketPath)) settle(resolve);
    };
    const poll = clock.every(SOCKET_POLL_MS, look);
    const settle = (then: () => void): void => {
      poll.cancel();
      watcher?.close();
      unsubscribe();
      then();
    };
    const unsubscribe = onAbort(signal, () => {
      poll.cancel();
      watcher?.close();
      reject(new ArmatureError('call.cancelled', 'The module is not waited for any more.'));
    });
    if (signal.aborted) return;
    try {
      watcher = watch(path.dirname(socketPath), look);
      watcher.on('error', () => undefined);
    } catch {
      // The system has no watches left: polling is enough.
    }
    look();
  });
}
