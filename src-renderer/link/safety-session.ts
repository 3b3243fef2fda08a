import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import type { CallSpec, Channel } from './channel.ts';
import { createClient, type Client } from './client.ts';
import type { Link } from './link.ts';
import { RpcError } from './rpc-error.ts';
import { StatusCode } from '../../proto/status-code.ts';

/** The machine's error message for an expired session. */
const EXPIRED_MESSAGE = 'SESSION_EXPIRED';
const DEFAULT_WINDOW_MS = 2_000;
const START_TIMEOUT_MS = 5_000;
/** Limits for a long window: a silent machine must be noticed before the values on the page are too old. */
const MAX_HEARTBEAT_INTERVAL_MS = 2_000;
const MAX_SILENCE_MS = 10_000;

interface Session {
  readonly id: string;
  readonly windowMs: number;
}

/**
 * Puts every call of the page into one safety session: when the heartbeats end, the machine stops what the
 * page moved. Each connection has its own session. A session is not resumed on a new connection, so that the
 * machine stops what the page could no longer stop. A machine that answers no heartbeat for a window (at most
 * 10 s) counts as lost, even if the connection looks open. A browser slows down the timers of a hidden page:
 * to one a second, which is enough for the default window, and after some minutes to one a minute. Then the
 * session ends and the motors stop, which is right for a page that nobody watches.
 */
export class SafetySession implements Channel {
  readonly #link: Pick<Link, 'call' | 'subscribe' | 'presumeLost'>;
  readonly #robot: Client<typeof RobotServiceDefinition>;
  readonly #onExpired: () => void;
  readonly #unsubscribe: () => void;
  /** Undefined without a connection; resolves to undefined if the machine has no sessions. */
  #session: Promise<Session | undefined> | undefined;
  /** The session that heartbeats are sent for. */
  #beating: Session | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isBeating = false;

  /** @param onExpired called when the machine has ended the session and stopped what it moved */
  constructor(link: Pick<Link, 'call' | 'subscribe' | 'presumeLost'>, onExpired: () => void) {
    this.#link = link;
    this.#onExpired = onExpired;
    this.#robot = createClient(RobotServiceDefinition, link);
    this.#unsubscribe = link.subscribe(({ kind }) => {
      if (kind !== 'open') this.#halt();
      // A call that came first may have started it.
      else if (this.#session === undefined) void this.#start();
    });
  }

  /** Stops the heartbeats: the machine ends the session when its window has passed. */
  close(): void {
    this.#unsubscribe();
    this.#halt();
  }

  /** Sends a heartbeat at once, for a page that became visible again after its timers were slowed down. */
  beatNow(): void {
    if (this.#beating !== undefined) void this.#beat(this.#beating);
  }

  /**
   * A call whose session has expired fails and is not repeated: the person
   * was told that everything stopped, and must repeat the action.
   */
  async *call(spec: CallSpec): AsyncGenerator<Uint8Array> {
    const session = await (this.#session ?? this.#start());
    try {
      yield* this.#link.call(inSession(spec, session));
    } catch (thrown) {
      if (session === undefined || !isExpired(thrown)) throw thrown;
      this.#expire(session);
      throw new RpcError(StatusCode.ABORTED, 'the machine had no sign of life from this page; ask again');
    }
  }

  #start(): Promise<Session | undefined> {
    const starting = this.#open();
    this.#session = starting;
    starting.then(
      (session) => {
        if (this.#session !== starting || session === undefined) return;
        this.#beating = session;
        const intervalMs = Math.min(session.windowMs / 5, MAX_HEARTBEAT_INTERVAL_MS);
        this.#timer = setInterval(() => void this.#beat(session), intervalMs);
      },
      (thrown: unknown) => {
        if (this.#session !== starting) return;
        // Calls that wait for the session fail with the reason; the next call tries again.
        this.#session = undefined;
        this.#noteSilence(thrown);
      },
    );
    return starting;
  }

  async #open(): Promise<Session | undefined> {
    try {
      const { id, heartbeatWindow } = await this.#robot.startSession({ resume: '' }, { timeoutMs: START_TIMEOUT_MS });
      const windowMs =
        heartbeatWindow === undefined
          ? DEFAULT_WINDOW_MS
          : Number(heartbeatWindow.seconds) * 1_000 + heartbeatWindow.nanos / 1e6;
      return { id, windowMs };
    } catch (thrown) {
      if (thrown instanceof RpcError && thrown.code === StatusCode.UNIMPLEMENTED) return undefined;
      throw thrown;
    }
  }

  async #beat(session: Session): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      const timeoutMs = Math.min(session.windowMs, MAX_SILENCE_MS);
      await this.#robot.sendSessionHeartbeat({ id: session.id }, { timeoutMs });
    } catch (thrown) {
      if (this.#beating !== session) return;
      // The link reports other failures; the next heartbeat follows.
      if (thrown instanceof RpcError && thrown.code === StatusCode.INVALID_ARGUMENT) this.#expire(session);
      else this.#noteSilence(thrown);
    } finally {
      this.#isBeating = false;
    }
  }

  #noteSilence(thrown: unknown): void {
    if (!(thrown instanceof RpcError) || thrown.code !== StatusCode.DEADLINE_EXCEEDED) return;
    this.#link.presumeLost(thrown.message);
  }

  /** Starts a new session after the machine has ended this one. */
  #expire(session: Session): void {
    if (this.#beating !== session) return;
    this.#halt();
    void this.#start();
    this.#onExpired();
  }

  #halt(): void {
    clearInterval(this.#timer);
    this.#beating = undefined;
    this.#session = undefined;
  }
}

function inSession(spec: CallSpec, session: Session | undefined): CallSpec {
  if (session === undefined) return spec;
  return { ...spec, options: { ...spec.options, metadata: { ...spec.options.metadata, 'viam-sid': session.id } } };
}

function isExpired(thrown: unknown): boolean {
  return (
    thrown instanceof RpcError && thrown.code === StatusCode.INVALID_ARGUMENT && thrown.message === EXPIRED_MESSAGE
  );
}
