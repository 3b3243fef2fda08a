import { randomUUID } from 'node:crypto';
import type {
  AnswerRequest,
  AnswerResponse,
  CallRequest,
  CallResponse,
  CallUpdateRequest,
} from '../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { StatusCode } from '../../base/status.ts';

/** An exchange takes so long at most: public clients wait no longer. */
const EXCHANGE_MS = 10_000;
/** Streams on which a machine waits: the public server opens two. */
const MAX_WAITING = 8;
/** Of one side in one exchange: an interface of a computer makes a few. */
const MAX_UPDATES = 256;
const HEARTBEAT_MS = 15_000;

type Stage = AnswerRequest['stage'];

/** One stream on which a machine waits for one caller. */
interface Waiting {
  readonly requests: AsyncQueue<AnswerRequest>;
  heartbeat: Timer | undefined;
  exchange: Exchange | undefined;
}

/** A caller and a machine that are being brought together. */
interface Exchange {
  readonly uuid: string;
  /** Who called: nobody else may add to it. */
  readonly caller: string;
  readonly machine: Waiting;
  readonly responses: AsyncQueue<CallResponse>;
  readonly deadline: Timer;
  hasCallerEnded: boolean;
  hasMachineEnded: boolean;
  updates: number;
}

/**
 * Machines of the public ecosystem, which wait for callers on streams that they have opened; each stream is for one caller.
 * (Machines of ours are called over the stream that they hold open anyway.)
 */
export class WaitingMachines {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #exchanges = new Map<string, Exchange>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(partId: string): boolean {
    return this.#waiting.has(partId);
  }

  /**
   * Serves one stream of a machine.
   * @throws {ArmatureError} `call.overloaded` where it has too many
   */
  async *answer(
    partId: string,
    responses: AsyncIterable<AnswerResponse>,
    { signal, takesHeartbeats }: { readonly signal: AbortSignal; readonly takesHeartbeats: boolean },
  ): AsyncGenerator<AnswerRequest> {
    const streams = this.#waiting.get(partId) ?? [];
    if (streams.length >= MAX_WAITING) {
      throw new ArmatureError('call.overloaded', `${MAX_WAITING} streams of this machine wait for callers already.`);
    }
    const requests = new AsyncQueue<AnswerRequest>();
    const machine: Waiting = { requests, heartbeat: undefined, exchange: undefined };
    this.#waiting.set(partId, [...streams, machine]);
    if (takesHeartbeats) {
      machine.heartbeat = this.#clock.every(HEARTBEAT_MS, () =>
        requests.push({ uuid: '', stage: { $case: 'heartbeat', value: {} } }),
      );
    }
    const forget = onAbort(signal, () => requests.end());
    void this.#follow(machine, responses);
    try {
      yield* requests;
    } finally {
      forget();
      this.#stopWaiting(partId, machine);
      if (machine.exchange !== undefined) this.#fail(machine.exchange, 'The machine has gone away.');
    }
  }

  /**
   * Brings a caller to a machine that waits.
   * @throws {ArmatureError} `part.unreachable`, and what the machine says
   */
  async *call(
    partId: string,
    { sdp, disableTrickle }: CallRequest,
    { caller, signal }: { readonly caller: string; readonly signal: AbortSignal },
  ): AsyncGenerator<CallResponse> {
    const machine = this.#waiting.get(partId)?.[0];
    if (machine === undefined) throw new ArmatureError('part.unreachable', 'The machine has just gone away.');
    this.#stopWaiting(partId, machine);
    const exchange: Exchange = {
      uuid: randomUUID(),
      caller,
      machine,
      responses: new AsyncQueue(),
      deadline: this.#clock.after(EXCHANGE_MS, () =>
        this.#fail(exchange, `The machine did not answer within ${EXCHANGE_MS / 1_000} s.`),
      ),
      hasCallerEnded: false,
      hasMachineEnded: false,
      updates: 0,
    };
    machine.exchange = exchange;
    this.#exchanges.set(exchange.uuid, exchange);
    const forget = onAbort(signal, () => this.#fail(exchange, 'The caller has gone away.'));
    const deadline = new Date(this.#clock.now() + EXCHANGE_MS);
    const optionalConfig = { additionalIceServers: [], disableTrickle };
    this.#tell(exchange, { $case: 'init', value: { sdp, optionalConfig, deadline } });
    try {
      yield* exchange.responses;
    } finally {
      forget();
      if (!exchange.hasMachineEnded) this.#fail(exchange, 'The caller has gone away.');
    }
  }

  /**
   * Passes on what a caller adds to its exchange. @returns false where there is no such exchange of this caller
   * @throws {ArmatureError} `call.overloaded`
   */
  update({ uuid, update }: CallUpdateRequest, caller: string): boolean {
    const exchange = this.#exchanges.get(uuid);
    if (exchange === undefined || exchange.caller !== caller) return false;
    if (++exchange.updates > MAX_UPDATES) {
      throw new ArmatureError('call.overloaded', `A caller may add ${MAX_UPDATES} candidates.`);
    }
    if (update?.$case === 'candidate') {
      this.#tell(exchange, { $case: 'update', value: { candidate: update.value } });
    } else if (update?.$case === 'error') {
      this.#fail(exchange, `The caller gave up: ${update.value.message}`);
    } else {
      exchange.hasCallerEnded = true;
      this.#tell(exchange, { $case: 'done', value: {} });
      this.#endWhenBothHave(exchange);
    }
    return true;
  }

  close(): void {
    for (const exchange of [...this.#exchanges.values()]) this.#fail(exchange, 'The hub is stopping.');
    for (const { requests } of [...this.#waiting.values()].flat()) requests.end();
  }

  /** What a machine says on its stream. */
  async #follow(machine: Waiting, responses: AsyncIterable<AnswerResponse>): Promise<void> {
    try {
      let updates = 0;
      for await (const { uuid, stage } of responses) {
        const { exchange } = machine;
        // Of an exchange that is over.
        if (exchange?.uuid !== uuid) continue;
        if (++updates > MAX_UPDATES) this.#fail(exchange, 'The machine sends without an end.');
        else if (stage?.$case === 'init') exchange.responses.push({ uuid, stage });
        else if (stage?.$case === 'update') exchange.responses.push({ uuid, stage });
        else if (stage?.$case === 'error') this.#fail(exchange, stage.value.status?.message ?? '');
        else if (stage?.$case === 'done') {
          exchange.hasMachineEnded = true;
          exchange.responses.end();
          this.#endWhenBothHave(exchange);
        }
      }
    } catch (thrown) {
      if (machine.exchange !== undefined) this.#fail(machine.exchange, toArmatureError(thrown).message);
    }
    // A machine that has said its last word still hears what its caller adds.
    if (machine.exchange === undefined) machine.requests.end();
  }

  #tell({ uuid, machine }: Exchange, stage: Stage): void {
    machine.requests.push({ uuid, stage });
  }

  #endWhenBothHave(exchange: Exchange): void {
    if (exchange.hasCallerEnded && exchange.hasMachineEnded) this.#forget(exchange);
  }

  #fail(exchange: Exchange, why: string): void {
    if (!this.#exchanges.has(exchange.uuid)) return;
    // Public callers end their stream when they are connected, and the machine has said all that it had to say.
    if (!exchange.hasMachineEnded) {
      const status = { code: StatusCode.CANCELLED, message: why, details: [] };
      this.#tell(exchange, { $case: 'error', value: { status } });
      exchange.responses.fail(new ArmatureError('part.unreachable', why));
    }
    this.#forget(exchange);
  }

  #forget(exchange: Exchange): void {
    exchange.deadline.cancel();
    this.#exchanges.delete(exchange.uuid);
    exchange.machine.exchange = undefined;
    // The machine opens another stream for its next caller.
    exchange.machine.requests.end();
  }

  #stopWaiting(partId: string, machine: Waiting): void {
    machine.heartbeat?.cancel();
    const rest = this.#waiting.get(partId)?.filter((one) => one !== machine) ?? [];
    if (rest.length === 0) this.#waiting.delete(partId);
    else this.#waiting.set(partId, rest);
  }
}
