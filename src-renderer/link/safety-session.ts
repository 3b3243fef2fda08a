import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import type { CallSpec, Channel } from './channel.ts';
import { createClient, type Client } from './client.ts';
import type { Link } from './link.ts';
import { RpcError } from './rpc-error.ts';
import { StatusCode } from '../../proto/status-code.ts';

/** What the machine says when a session is over. */
const EXPIRED_MESSAGE = 'SESSION_EXPIRED';
const DEFAULT_WINDOW_MS = 2_000;
const START_TIMEOUT_MS = 5_000;
/** Longest times from one heartbeat to the next, and for its answer: a long window is no reason to show what is long past. */
const LONGEST_BEAT_MS = 2_000;
const LONGEST_SILENCE_MS = 10_000;

interface Session {
  readonly id: string;
  readonly windowMs: number;
}

/**
 * Puts every call of the page into one safety session: the machine stops what the page moved when its
 * heartbeats end. Each connection has a session of its own: one that was lost is not resumed, so that the
 * machine stops what the page could not stop any more. A machine that answers no heartbeat for a window,
 * or 10 s of a longer one, is gone, whatever the connection looks like. A browser slows the timers of a
 * hidden page down: to one a second, which is enough for the default window, and after some minutes to
 * one a minute. Then the session ends and the motors stop, which is right for a page that nobody watches.
 */
export class SafetySession implements Channel {
  readonly #link: Pick<Link, 'call' | 'subscribe' | 'presumeLost'>;
  readonly #robot: Client<typeof RobotServiceDefinition>;
  readonly #onExpired: () => void;
  readonly #unsubscribe: () => void;
  /** Undefined while there is no connection; its value is undefined where the machine has no sessions. */
  #session: Promise<Session | undefined> | undefined;
  /** The session that beats. */
  #beating: Session | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isBeating = false;

  /** @param onExpired the machine ended our session, and stopped what it moved */
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

  /** Beats at once; for a page that became visible again after its timers were slowed down. */
  beatNow(): void {
    if (this.#beating !== undefined) void this.#beat(this.#beating);
  }

  /**
   * A call that meets the end of its session fails and is not made again: the
   * person has been told that everything stopped, and must ask anew.
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
        this.#timer = setInterval(() => void this.#beat(session), Math.min(session.windowMs / 5, LONGEST_BEAT_MS));
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
      const timeoutMs = Math.min(session.windowMs, LONGEST_SILENCE_MS);
      await this.#robot.sendSessionHeartbeat({ id: session.id }, { timeoutMs });
    } catch (thrown) {
      if (this.#beating !== session) return;
      // Other failures are the link's to report; the next beat follows.
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

  /** The machine ended the session: what comes next is another one's. */
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
