import type { ChildProcess } from 'node:child_process';
import { ArmatureError } from '../errors.ts';
import { answerCall, type ThreadReply, type ThreadRequest } from '../threads/thread-calls.ts';
import { endFirst, isOutOfMemory, startLimitedProcess, type ProcessLimits } from './limited-process.ts';

interface Waiting<A> {
  resolve(answer: A): void;
  reject(error: ArmatureError): void;
}

/** Requests to a limited process that answers them with {@link answerProcessCalls}. */
export class ProcessCalls<Q, A> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting<A>>();
  #nextId = 1;
  #end: ArmatureError | undefined;

  /**
   * Starts the process.
   * @param file by a `new URL` written out where it is called: the bundler looks for that
   */
  constructor(file: URL, limits: ProcessLimits) {
    this.#child = startLimitedProcess(file, limits);
    this.#child.on('message', (reply: ThreadReply<A>) => this.#take(reply));
    this.#child.once('error', ({ message }) => this.#endWith(lost(`it could not be started: ${message}`)));
    this.#child.once('exit', (code, killedBy) => this.#endWith(reasonOf(code, killedBy, limits)));
  }

  /** Whether it can answer. */
  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /**
   * @param timeMs time limit: a process that takes longer is ended
   * @throws {ArmatureError} the process's error; `call.deadline_exceeded`; `call.too_large` if it ran out of memory;
   *   `peer.unreachable` if it has ended
   */
  async ask(question: Q, timeMs: number): Promise<A> {
    if (this.#end !== undefined) throw this.#end;
    const id = this.#nextId++;
    const timer = setTimeout(() => {
      this.#endWith(new ArmatureError('call.deadline_exceeded', `it took longer than ${timeMs / 1_000} s`));
    }, timeMs);
    try {
      return await new Promise<A>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        const request: ThreadRequest<Q> = { id, question };
        this.#child.send(request, (error) => {
          if (error !== null) this.#endWith(lost(`it cannot be sent to: ${error.message}`));
        });
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it at once, and waits until it has ended. Waiting requests are refused. */
  async close(): Promise<void> {
    const child = this.#child;
    const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    const gone = isGone ? undefined : new Promise((resolve) => child.once('exit', resolve));
    this.#endWith(new ArmatureError('call.cancelled', 'it is closed'));
    await gone;
  }

  #take(reply: ThreadReply<A>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('answer' in reply) return waiting?.resolve(reply.answer);
    const { code, message, details } = reply.failure;
    waiting?.reject(new ArmatureError(code, message, { details }));
  }

  #endWith(reason: ArmatureError): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
    this.#waiting.clear();
    this.#child.kill('SIGKILL');
  }
}

/** Answers the requests of {@link ProcessCalls}. Called by the file of the process, at its start. */
export function answerProcessCalls<Q, A>(answer: (question: Q) => Promise<A>): void {
  process.on('message', (request: ThreadRequest<Q>) => {
    const answered = async (question: Q) => ({ answer: await answer(question) });
    void answerCall(request, answered, (reply) => void process.send?.(reply));
  });
  endFirst();
}

function reasonOf(
  code: number | null,
  killedBy: NodeJS.Signals | null,
  { processBytes }: ProcessLimits,
): ArmatureError {
  if (isOutOfMemory(code, killedBy)) {
    return new ArmatureError('call.too_large', `it needs more than ${processBytes} bytes of memory, which is the most`);
  }
  return lost(killedBy === null ? `it ended with code ${code}` : `it was ended by ${killedBy}`);
}

function lost(why: string): ArmatureError {
  return new ArmatureError('peer.unreachable', `its process is gone: ${why}`);
}
