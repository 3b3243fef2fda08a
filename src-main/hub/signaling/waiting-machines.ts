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

/** Time limit of an exchange: public clients wait no longer. */
const EXCHANGE_TIMEOUT_MS = 10_000;
/** Maximum number of streams on which a machine waits; the public server opens two. */
const MAX_WAITING = 8;
/** Maximum number of updates from one side in an exchange; each network interface causes a few. */
const MAX_UPDATES = 256;
const HEARTBEAT_MS = 15_000;

type Stage = AnswerRequest['stage'];

/** A stream on which a machine waits for one caller. */
interface Waiting {
  readonly requests: AsyncQueue<AnswerRequest>;
  heartbeat: Timer | undefined;
  exchange: Exchange | undefined;
}

/** The signaling between one caller and one machine. */
interface Exchange {
  readonly uuid: string;
  /** The caller; nobody else may update the exchange. */
  readonly caller: string;
  readonly machine: Waiting;
  readonly responses: AsyncQueue<CallResponse>;
  readonly deadline: Timer;
  hasCallerEnded: boolean;
  hasMachineEnded: boolean;
  updates: number;
}

/**
 * Machines of the public ecosystem, which wait for callers on streams that they open; each stream is for one caller.
 * (Our own machines are called over the stream that they keep open anyway.)
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
   * @throws {ArmatureError} `call.overloaded` if it has too many
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
    const unsubscribe = onAbort(signal, () => requests.end());
    void this.#follow(machine, responses);
    try {
      yield* requests;
    } finally {
      unsubscribe();
      this.#stopWaiting(partId, machine);
      if (machine.exchange !== undefined) this.#fail(machine.exchange, 'The machine has disconnected.');
    }
  }

  /**
   * Starts an exchange between a caller and a waiting machine.
   * @throws {ArmatureError} `part.unreachable`, and the error of the machine
   */
  async *call(
    partId: string,
    { sdp, disableTrickle }: CallRequest,
    { caller, signal }: { readonly caller: string; readonly signal: AbortSignal },
  ): AsyncGenerator<CallResponse> {
    const machine = this.#waiting.get(partId)?.[0];
    if (machine === undefined) throw new ArmatureError('part.unreachable', 'The machine has just gone offline.');
    this.#stopWaiting(partId, machine);
    const exchange: Exchange = {
      uuid: randomUUID(),
      caller,
      machine,
      responses: new AsyncQueue(),
      deadline: this.#clock.after(EXCHANGE_TIMEOUT_MS, () =>
        this.#fail(exchange, `The machine did not answer within ${EXCHANGE_TIMEOUT_MS / 1_000} s.`),
      ),
      hasCallerEnded: false,
      hasMachineEnded: false,
      updates: 0,
    };
    machine.exchange = exchange;
    this.#exchanges.set(exchange.uuid, exchange);
    const unsubscribe = onAbort(signal, () => this.#fail(exchange, 'The caller has disconnected.'));
    const deadline = new Date(this.#clock.now() + EXCHANGE_TIMEOUT_MS);
    const optionalConfig = { additionalIceServers: [], disableTrickle };
    this.#sendToMachine(exchange, { $case: 'init', value: { sdp, optionalConfig, deadline } });
    try {
      yield* exchange.responses;
    } finally {
      unsubscribe();
      if (!exchange.hasMachineEnded) this.#fail(exchange, 'The caller has disconnected.');
    }
  }

  /**
   * Forwards an update of a caller to the machine.
   * @returns false if this caller has no such exchange
   * @throws {ArmatureError} `call.overloaded`
   */
  update({ uuid, update }: CallUpdateRequest, caller: string): boolean {
    const exchange = this.#exchanges.get(uuid);
    if (exchange === undefined || exchange.caller !== caller) return false;
    if (++exchange.updates > MAX_UPDATES) {
      throw new ArmatureError('call.overloaded', `A caller may add ${MAX_UPDATES} candidates.`);
    }
    if (update?.$case === 'candidate') {
      this.#sendToMachine(exchange, { $case: 'update', value: { candidate: update.value } });
    } else if (update?.$case === 'error') {
      this.#fail(exchange, `The caller gave up: ${update.value.message}`);
    } else {
      exchange.hasCallerEnded = true;
      this.#sendToMachine(exchange, { $case: 'done', value: {} });
      this.#endWhenBothHave(exchange);
    }
    return true;
  }

  close(): void {
    for (const exchange of [...this.#exchanges.values()]) this.#fail(exchange, 'The hub is stopping.');
    for (const { requests } of [...this.#waiting.values()].flat()) requests.end();
  }

  /** Handles the messages that a machine sends on its stream. */
  async #follow(machine: Waiting, responses: AsyncIterable<AnswerResponse>): Promise<void> {
    try {
      let updates = 0;
      for await (const { uuid, stage } of responses) {
        const { exchange } = machine;
        // A message of an exchange that is over.
        if (exchange?.uuid !== uuid) continue;
        if (++updates > MAX_UPDATES) this.#fail(exchange, `The machine sent more than ${MAX_UPDATES} updates.`);
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
    // A machine that has sent everything still gets the caller's updates.
    if (machine.exchange === undefined) machine.requests.end();
  }

  #sendToMachine({ uuid, machine }: Exchange, stage: Stage): void {
    machine.requests.push({ uuid, stage });
  }

  #endWhenBothHave(exchange: Exchange): void {
    if (exchange.hasCallerEnded && exchange.hasMachineEnded) this.#forget(exchange);
  }

  #fail(exchange: Exchange, why: string): void {
    if (!this.#exchanges.has(exchange.uuid)) return;
    // Public callers end their stream when they are connected; a machine that is done needs no error then.
    if (!exchange.hasMachineEnded) {
      const status = { code: StatusCode.CANCELLED, message: why, details: [] };
      this.#sendToMachine(exchange, { $case: 'error', value: { status } });
      exchange.responses.fail(new ArmatureError('part.unreachable', why));
    }
    this.#forget(exchange);
  }

  #forget(exchange: Exchange): void {
    exchange.deadline.cancel();
    this.#exchanges.delete(exchange.uuid);
    exchange.machine.exchange = undefined;
    // The machine opens a new stream for its next caller.
    exchange.machine.requests.end();
  }

  #stopWaiting(partId: string, machine: Waiting): void {
    machine.heartbeat?.cancel();
    const rest = this.#waiting.get(partId)?.filter((one) => one !== machine) ?? [];
    if (rest.length === 0) this.#waiting.delete(partId);
    else this.#waiting.set(partId, rest);
  }
}
