import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import { onAbort } from '../../base/async/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import { callPeer, type StartCall } from '../../rpc/peer/outbound-call.ts';
import type { PeerCodes } from '../../rpc/peer/received-error.ts';

/** Error codes of calls to another machine, besides its own. */
export const remoteCodes: PeerCodes = { unreachable: 'remote.unreachable', refused: 'remote.unreachable' };
const OVER: Status = {
  code: StatusCode.UNAVAILABLE,
  message:
    'This machine was silent for so long that the other one had given it up, and stopped what it moved. Try again.',
};
const ANSWER_MS = 10_000;
/** Heartbeats are sent at this fraction of the session's window, as in public clients. */
const BEATS_PER_WINDOW = 5;

/**
 * This machine's session at another one: if this program hangs or its network is silent for that machine's window, the
 * other machine stops what was moved there. A machine without sessions has none.
 */
export class RemoteSession {
  readonly #start: StartCall;
  #id = '';

  private constructor(start: StartCall) {
    this.#start = start;
  }

  /** @param closed ends the heartbeats */
  static async begin(start: StartCall, clock: Clock, closed: AbortSignal): Promise<RemoteSession> {
    const session = new RemoteSession(start);
    const windowMs = await session.#begin();
    if (windowMs === undefined) return session;
    let isBeating = false;
    const beats = clock.every(windowMs / BEATS_PER_WINDOW, () => {
      if (isBeating) return;
      isBeating = true;
      void session.#beat().finally(() => (isBeating = false));
    });
    onAbort(closed, () => beats.cancel());
    return session;
  }

  /** Starts calls that belong to it. */
  readonly start: StartCall = (path, metadata, timeoutMs, responder) => {
    const own = this.#id === '' ? metadata : { ...metadata, 'viam-sid': this.#id };
    return this.#start(path, own, timeoutMs, {
      headers: (received) => responder.headers(received),
      message: (bytes, isLast) => responder.message(bytes, isLast),
      end: (status, trailers) => {
        // Our own caller would take this message for the end of its own session.
        const isOver = status.code === StatusCode.INVALID_ARGUMENT && status.message === 'SESSION_EXPIRED';
        if (isOver) void this.#begin().catch(() => undefined);
        responder.end(isOver ? OVER : status, isOver ? {} : trailers);
      },
    });
  };

  /** @returns the session's window, milliseconds; undefined if there are no sessions */
  async #begin(): Promise<number | undefined> {
    try {
      const options = { timeoutMs: ANSWER_MS, codes: remoteCodes };
      const request = { resume: '' };
      const { id, heartbeatWindow } = await callPeer(
        this.#start,
        RobotServiceDefinition,
        'startSession',
        request,
        options,
      );
      this.#id = id;
      return Number(heartbeatWindow?.seconds ?? 0n) * 1_000 + (heartbeatWindow?.nanos ?? 0) / 1e6 || undefined;
    } catch (thrown) {
      if (thrown instanceof ArmatureError && thrown.code === 'call.unimplemented') return undefined;
      throw thrown;
    }
  }

  /** Never rejects: lost connections are detected elsewhere. */
  async #beat(): Promise<void> {
    const request = { id: this.#id };
    try {
      await callPeer(this.#start, RobotServiceDefinition, 'sendSessionHeartbeat', request, {
        timeoutMs: ANSWER_MS,
        codes: remoteCodes,
      });
    } catch (thrown) {
      // The session was silent for too long: what it moved was stopped, and later calls belong to a new session.
      const isOver = thrown instanceof ArmatureError && thrown.code !== 'remote.unreachable';
      if (isOver) await this.#begin().catch(() => undefined);
    }
  }
}
