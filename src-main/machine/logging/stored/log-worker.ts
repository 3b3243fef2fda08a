import { Worker } from 'node:worker_threads';
import { ArmatureError } from '../../../base/errors.ts';
import type { LogCalls, LogReply, LogThreadOptions } from './log-protocol.ts';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: ArmatureError): void;
}

/**
 * The interface to the thread that owns the file of the stored log. The first request starts it, and so does the next
 * one if it has ended. Requests are served in order.
 */
export class LogWorker {
  readonly #options: LogThreadOptions;
  readonly #onNotice: (message: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(options: LogThreadOptions, onNotice: (message: string) => void) {
    this.#options = options;
    this.#onNotice = onNotice;
  }

  /** @throws {ArmatureError} `file.unreadable` if the thread fails, or is closed */
  ask<Kind extends keyof LogCalls>(kind: Kind, ask: LogCalls[Kind]['ask']): Promise<LogCalls[Kind]['answer']> {
    if (this.#isClosed) return Promise.reject(failure('it is closed'));
    const worker = (this.#worker ??= this.#start());
    const id = this.#nextId++;
    return new Promise<LogCalls[Kind]['answer']>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as LogCalls[Kind]['answer']), reject });
      // The program stays alive until the answer, but not for the thread alone.
      worker.ref();
      worker.postMessage({ id, kind, ask });
    });
  }

  /** Settles when the file is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage(null);
    await exited;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./log-thread.ts', import.meta.url), {
      workerData: this.#options,
      name: 'stored-log',
      // It only buffers lines on their way.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    worker.on('message', (reply: LogReply) => this.#take(worker, reply));
    worker.on('error', (error: Error) => this.#ended(worker, error.message));
    worker.once('exit', () => this.#ended(worker, 'its thread has ended'));
    return worker;
  }

  #take(worker: Worker, reply: LogReply): void {
    if (reply.kind === 'notice') {
      this.#onNotice(reply.message);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0 && !this.#isClosed) worker.unref();
    if (reply.kind === 'done') waiting?.resolve(reply.answer);
    else waiting?.reject(failure(reply.message));
  }

  #ended(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(failure(reason));
    this.#waiting.clear();
  }
}

function failure(reason: string): ArmatureError {
  return new ArmatureError('file.unreadable', `The stored log cannot be used: ${reason}. Check the disk it is on.`);
}
