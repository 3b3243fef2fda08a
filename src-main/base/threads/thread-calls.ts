import { Worker, type MessagePort, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { withTimeout } from '../async/timeout.ts';
import { systemClock } from '../clock.ts';
import { ArmatureError, toArmatureError, type ErrorCode } from '../errors.ts';

/** A message to a thread. */
export interface ThreadRequest<Q> {
  readonly id: number;
  readonly question: Q;
}

/** Its answer. */
export type ThreadReply<A> =
  | { readonly id: number; readonly answer: A }
  | {
      readonly id: number;
      readonly failure: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly details: Readonly<Record<string, unknown>>;
      };
    };

/** Shared with a thread from its start; set to 1 when it should end before it has read the remaining requests. */
interface EndFlag {
  readonly isEnding: Int32Array;
}

interface Waiting<A> {
  resolve(answer: A): void;
  reject(error: ArmatureError): void;
}

/** After this time, closing no longer waits for a busy thread; it ends by itself. */
const END_LIMIT_MS = 10_000;

/** Requests to a thread that answers each of them (`answerCalls`), in any order. */
export class ThreadCalls<Q, A> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting<A>>();
  readonly #isEnding = new Int32Array(new SharedArrayBuffer(4));
  readonly #ended: Promise<void>;
  #nextId = 1;
  #end: ArmatureError | undefined;

  /**
   * Starts the thread.
   * @param file of the thread, by a `new URL` written out where it is called: the bundler looks for that
   */
  constructor(file: URL, options: WorkerOptions & { readonly name: string }) {
    this.#worker = new Worker(file, options);
    this.#worker.unref();
    this.#worker.on('message', (reply: ThreadReply<A>) => this.#take(reply));
    this.#worker.on('error', (error: Error) => this.#endWith(`its thread failed: ${error.message}`));
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#endWith('its thread has ended');
        resolve();
      });
    });
    this.#sendFlag();
  }

  /**
   * @param transferred memory that is moved to the thread, and no longer usable here
   * @throws {ArmatureError} the thread's error; `resource.not_ready` if it has ended
   */
  ask(question: Q, transferred: readonly Transferable[] = []): Promise<A> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const request: ThreadRequest<Q> = { id, question };
      this.#worker.postMessage(request, transferred);
      this.#waiting.set(id, { resolve, reject });
      // The program stays alive until the answer, but not for the thread alone.
      this.#worker.ref();
    });
  }

  /** Whether the thread can answer. */
  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /**
   * Ends the thread after its current request; waiting requests are refused. It is never terminated: a native library
   * (ONNX Runtime 1.30) whose JavaScript engine is missing at its answer aborts the whole program.
   */
  async close(): Promise<void> {
    this.#endWith('it is closed');
    Atomics.store(this.#isEnding, 0, 1);
    this.#sendFlag();
    this.#worker.ref();
    await withTimeout(() => this.#ended, {
      clock: systemClock,
      ms: END_LIMIT_MS,
      onTimeout: () => this.#worker.unref(),
    });
  }

  #sendFlag(): void {
    const flag: EndFlag = { isEnding: this.#isEnding };
    this.#worker.postMessage(flag);
  }

  #take(reply: ThreadReply<A>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0 && this.isAlive) this.#worker.unref();
    if ('answer' in reply) waiting?.resolve(reply.answer);
    else
      waiting?.reject(new ArmatureError(reply.failure.code, reply.failure.message, { details: reply.failure.details }));
  }

  #endWith(reason: string): void {
    this.#end ??= new ArmatureError('resource.not_ready', `cannot answer: ${reason}`);
    for (const waiting of this.#waiting.values()) waiting.reject(this.#end);
    this.#waiting.clear();
  }
}

/** An answer, and its memory that is transferred to the caller. */
export interface ThreadAnswer<A> {
  readonly answer: A;
  readonly transferred?: readonly Transferable[];
}

/**
 * Answers the requests of {@link ThreadCalls}. Called by the file of the thread.
 * @param port its `parentPort`
 */
export function answerCalls<Q, A>(port: MessagePort | null, answer: (question: Q) => Promise<ThreadAnswer<A>>): void {
  let flag: Int32Array | undefined;
  const isEnding = (): boolean => flag !== undefined && Atomics.load(flag, 0) === 1;
  port?.on('message', (message: ThreadRequest<Q> | EndFlag) => {
    if ('isEnding' in message) flag = message.isEnding;
    // Without the port only running work keeps the thread alive.
    if (isEnding()) port.close();
    else if ('id' in message)
      void answerCall(message, answer, (reply, transferred) => port.postMessage(reply, transferred));
  });
}

/** Answers one request. */
export async function answerCall<Q, A>(
  { id, question }: ThreadRequest<Q>,
  answer: (question: Q) => Promise<ThreadAnswer<A>>,
  send: (reply: ThreadReply<A>, transferred: readonly Transferable[] | undefined) => void,
): Promise<void> {
  try {
    const { answer: found, transferred } = await answer(question);
    send({ id, answer: found }, transferred);
  } catch (thrown) {
    const { code, message, details } = toArmatureError(thrown);
    send({ id, failure: { code, message, details } }, undefined);
  }
}
