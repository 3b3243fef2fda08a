import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import type { CallSpec, Channel } from './channel.ts';
import { createClient, type Client } from './client.ts';
import type { Link } from './link.ts';
import { RpcError } from './rpc-error.ts';
import { StatusCode } from '../../proto/status-code.ts';

/** What the machine says when a session is over (wire contract 2.2). */
const EXPIRED_MESSAGE = 'SESSION_EXPIRED';
const DEFAULT_WINDOW_MS = 2_000;
const START_TIMEOUT_MS = 10_000;

interface Session {
  readonly id: string;
  readonly windowMs: number;
}

/**
 * Puts every call of the page into one safety session (ruling 10): the machine
 * stops what the page moved when its heartbeats end. A session is started
 * whenever the link opens, resuming the former one where the machine still
 * knows it, and is kept for as long as the page runs. A browser slows the
 * timers of a hidden page down: to one a second, which is enough for the
 * default window, and after some minutes to one a minute. Then the session
 * ends and the motors stop, which is right for a page that nobody watches.
 */
export class SafetySession implements Channel {
  readonly #link: Pick<Link, 'call' | 'subscribe' | 'whenOpen'>;
  readonly #robot: Client<typeof RobotServiceDefinition>;
  readonly #onExpired: () => void;
  readonly #unsubscribe: () => void;
  #lastId = '';
  /** Undefined while there is no connection; its value is undefined where the machine has no sessions. */
  #session: Promise<Session | undefined> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isOpen = false;
  #isBeating = false;

  /** @param onExpired the machine ended our session, and stopped what it moved */
  constructor(link: Pick<Link, 'call' | 'subscribe' | 'whenOpen'>, onExpired: () => void) {
    this.#link = link;
    this.#onExpired = onExpired;
    this.#robot = createClient(RobotServiceDefinition, link);
    this.#unsubscribe = link.subscribe(({ kind }) => {
      this.#isOpen = kind === 'open';
      if (!this.#isOpen) this.#halt();
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
    void this.#session?.then(
      (session) => (session === undefined ? undefined : this.#beat(session)),
      ignoreUntilNextCall,
    );
  }

  async *call(spec: CallSpec): AsyncGenerator<Uint8Array> {
    await this.#link.whenOpen(spec.options);
    const session = await (this.#session ?? this.#start());
    let hasAnswered = false;
    try {
      for await (const bytes of this.#link.call(inSession(spec, session))) {
        hasAnswered = true;
        yield bytes;
      }
    } catch (thrown) {
      if (session === undefined || hasAnswered || !isExpired(thrown)) throw thrown;
      this.#expire(session);
      // The machine refused before anything was done, so one unary call may be made again.
      if (Symbol.asyncIterator in spec.requests) throw thrown;
      yield* this.#link.call(inSession(spec, await (this.#session ?? this.#start())));
    }
  }

  #start(): Promise<Session | undefined> {
    clearInterval(this.#timer);
    const starting = this.#open();
    this.#session = starting;
    starting.then(
      (session) => {
        if (this.#session !== starting || session === undefined) return;
        this.#lastId = session.id;
        this.#timer = setInterval(() => void this.#beat(session), session.windowMs / 5);
      },
      () => {
        // Calls that wait for the session fail with the reason; the next call tries again.
        if (this.#session === starting) this.#session = undefined;
      },
    );
    return starting;
  }

  async #open(): Promise<Session | undefined> {
    try {
      const { id, heartbeatWindow } = await this.#robot.startSession(
        { resume: this.#lastId },
        { timeoutMs: START_TIMEOUT_MS },
      );
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
      await this.#robot.sendSessionHeartbeat({ id: session.id }, { timeoutMs: session.windowMs });
    } catch (thrown) {
      // Other failures are the link's to report; the next beat follows.
      if (thrown instanceof RpcError && thrown.code === StatusCode.INVALID_ARGUMENT) this.#expire(session);
    } finally {
      this.#isBeating = false;
    }
  }

  #expire(session: Session): void {
    if (this.#lastId !== session.id) return;
    this.#lastId = '';
    this.#onExpired();
    if (this.#isOpen) void this.#start();
  }

  #halt(): void {
    clearInterval(this.#timer);
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

/** A session that could not start is reported by the call that needs it. */
function ignoreUntilNextCall(): void {}
