import type { ChildProcess } from 'node:child_process';
import { onAbort } from '../../../base/async/abort.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { isOutOfMemory, startLimitedProcess } from '../../../base/processes/limited-process.ts';
import type { SqlLimits } from './sql-limits.ts';
import type {
  FromQuery,
  QueryAnswer,
  QueryFailure,
  ReadingsBatch,
  StartQuery,
  ToQuery,
  WantedReadings,
} from './sql-protocol.ts';

/** The process of a query reported why there is no answer. */
export class QueryFailed extends Error {
  readonly failure: QueryFailure;

  constructor(failure: QueryFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** JavaScript heap of the process: it holds batches of readings, and the answer. */
const HEAP_MB = 192;

/**
 * The process of one query. It has an empty environment, gets the readings over its channel, and is killed at the time
 * limit or when the call is cancelled.
 */
export class QueryProcess {
  readonly #child: ChildProcess;
  readonly #cleanups: (() => void)[] = [];
  #waiting: { resolve(reply: FromQuery): void; reject(error: Error): void } | undefined;
  #end: Error | undefined;

  constructor(limits: SqlLimits, signal: AbortSignal) {
    const { processBytes } = limits;
    // Needed besides the engine's own limit: the engine does not count texts that functions make.
    const file = new URL('./sql-query-process.ts', import.meta.url);
    this.#child = startLimitedProcess(file, { processBytes, heapMb: HEAP_MB });
    const seconds = limits.timeMs / 1_000;
    const timer = setTimeout(() => {
      this.#endWith(
        new ArmatureError(
          'call.deadline_exceeded',
          `The query took longer than ${seconds} s, which is the most. Narrow it by "time_received" or "component_name" in its WHERE, or ask for less.`,
        ),
      );
    }, limits.timeMs);
    this.#cleanups.push(
      () => clearTimeout(timer),
      onAbort(signal, () => this.#endWith(new ArmatureError('call.cancelled', 'The query was cancelled.'))),
    );
    this.#child.on('message', (reply: FromQuery) => this.#receive(reply));
    this.#child.once('error', (error) => this.#endWith(lost(`it could not be started: ${error.message}`, error)));
    this.#child.once('exit', (code, killedBy) => this.#endWith(reasonOf(code, killedBy, limits)));
  }

  /** Process id; undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Parses the query. @returns the readings that it can use @throws {QueryFailed} */
  async start(query: Omit<StartQuery, 'kind'>): Promise<WantedReadings> {
    const reply = await this.#ask({ kind: 'start', ...query });
    if (reply.kind === 'wanted') return reply;
    throw unexpected(reply);
  }

  /** Sends readings. Resolves when the process has stored them. @throws {QueryFailed} */
  async send(readings: Omit<ReadingsBatch, 'kind'>): Promise<void> {
    const reply = await this.#ask({ kind: 'readings', ...readings });
    if (reply.kind !== 'taken') throw unexpected(reply);
  }

  /** Runs the query on the readings that were sent. @throws {QueryFailed} */
  async answer(): Promise<QueryAnswer> {
    const reply = await this.#ask({ kind: 'end' });
    if (reply.kind === 'answer') return reply;
    throw unexpected(reply);
  }

  /** Kills the process, whatever it is doing, and waits until it has ended. */
  async close(): Promise<void> {
    const child = this.#child;
    const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    const gone = isGone ? undefined : new Promise((resolve) => child.once('exit', resolve));
    this.#endWith(new ArmatureError('call.cancelled', 'The query is over.'));
    await gone;
  }

  #ask(message: ToQuery): Promise<FromQuery> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.send(message, (error) => {
        if (error !== null) this.#endWith(lost(`it does not listen: ${error.message}`, error));
      });
    });
  }

  #receive(reply: FromQuery): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (reply.kind === 'failed') waiting?.reject(new QueryFailed(reply));
    else waiting?.resolve(reply);
  }

  #endWith(reason: Error): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    for (const cleanUp of this.#cleanups) cleanUp();
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
    this.#child.kill('SIGKILL');
  }
}

function reasonOf(code: number | null, killedBy: NodeJS.Signals | null, { processBytes }: SqlLimits): Error {
  if (isOutOfMemory(code, killedBy))
    return new QueryFailed({ reason: 'memory', message: `Its process needs more than ${processBytes} bytes.` });
  return lost(killedBy === null ? `it ended with code ${code}` : `it was ended by ${killedBy}`);
}

function lost(why: string, cause?: unknown): ArmatureError {
  return new ArmatureError(
    'peer.unreachable',
    `The process that runs the query failed: ${why}. The hub is not affected; run the query again.`,
    { cause },
  );
}

function unexpected({ kind }: FromQuery): ArmatureError {
  return new ArmatureError('internal.bug', `The process of a query said "${kind}" out of turn.`);
}
