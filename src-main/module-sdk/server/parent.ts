import { aliasPath } from '../../base/dialect.ts';
import { sleep, type Clock, type Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { callPeer, type StartCall } from '../../rpc/peer/outbound-call.ts';
import type { Peer, PeerAddress } from '../../rpc/peer/peer.ts';
import type { PeerCodes } from '../../rpc/peer/received-error.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../rpc/service.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';

/** Error codes of failed calls to the machine. */
export const parentCodes: PeerCodes = { unreachable: 'resource.not_ready', refused: 'access.denied' };

/** Calls the machine with one request and one answer. */
export type CallParent = <D extends ServiceDefinition, K extends keyof D['methods'] & string>(
  service: D,
  method: K,
  request: RequestOf<D['methods'][K]>,
  options: { readonly timeoutMs: number | undefined },
) => Promise<ResponseOf<D['methods'][K]>>;

export type OpenPeer = (address: PeerAddress) => Promise<Peer>;

export interface ParentOptions {
  readonly open: OpenPeer;
  readonly clock: Clock;
  /** The configured name, which tells the machine who calls. */
  readonly moduleName: string;
  /** The connection is lost: nobody can stop the actuators any more. */
  readonly onLost: (reason: string) => void;
  /** The connection is back. */
  readonly onBack: () => void;
  /** The connection was lost for {@link GIVE_UP_MS}. */
  readonly onGone: (reason: string) => void;
}

/** A machine that is unreachable for longer than this counts as ended. */
export const GIVE_UP_MS = 10_000;
const RETRY_MS = 1_000;
const CHECK_MS = 10_000;
const ANSWER_MS = 5_000;

/** A module's connection to its machine, opened when the machine says where it listens. */
export class Parent {
  readonly #options: ParentOptions;
  #peer: Peer | undefined;
  #address: PeerAddress | undefined;
  #isClosed = false;
  #check: Timer | undefined;
  #lostAt: number | undefined;

  constructor(options: ParentOptions) {
    this.#options = options;
  }

  /** Calls in the spelling of the public ecosystem, which every machine understands. */
  readonly start: StartCall = (path, metadata, timeoutMs, responder) => {
    const peer = this.#peer;
    if (peer !== undefined) {
      return peer.start(aliasPath(path), { modname: this.#options.moduleName, ...metadata }, timeoutMs, responder);
    }
    const message = 'The machine that this module belongs to is not connected.';
    queueMicrotask(() => responder.end({ code: 14, message }, {}));
    return { message: () => undefined, halfClose: () => undefined, cancel: () => undefined };
  };

  readonly call: CallParent = (service, method, request, { timeoutMs }) =>
    callPeer(this.start, service, method, request, { timeoutMs, codes: parentCodes });

  /**
   * Connects and checks that the machine answers. Does nothing if it is already connected to that address.
   * @throws {ArmatureError} `resource.not_ready`
   */
  async connect(address: PeerAddress): Promise<void> {
    const isSame = JSON.stringify(address) === JSON.stringify(this.#address);
    if (isSame && this.#peer?.isClosed === false) return;
    this.#address = address;
    await this.#open(address);
    this.#check ??= this.#options.clock.every(CHECK_MS, () => void this.#checkParent());
  }

  close(): void {
    this.#isClosed = true;
    this.#check?.cancel();
    this.#peer?.close('the module ends');
    this.#peer = undefined;
  }

  async #open(address: PeerAddress): Promise<void> {
    const peer = await this.#options.open(address);
    const before = this.#peer;
    this.#peer = peer;
    before?.close('the machine listens elsewhere');
    try {
      await this.#ask();
    } catch (thrown) {
      if (this.#peer === peer) this.#peer = undefined;
      peer.close('the machine did not answer');
      const reason = toArmatureError(thrown).message;
      throw new ArmatureError('resource.not_ready', `The machine does not answer its module: ${reason}`, {
        cause: thrown,
      });
    }
    peer.onClose((reason) => this.#lost(peer, reason));
    if (peer.isClosed) this.#lost(peer, 'the connection was closed');
  }

  async #ask(): Promise<void> {
    await this.call(RobotServiceDefinition, 'resourceNames', {}, { timeoutMs: ANSWER_MS });
  }

  /** A machine that hangs is treated as gone. */
  async #checkParent(): Promise<void> {
    const peer = this.#peer;
    if (peer === undefined || this.#isClosed) return;
    try {
      await this.#ask();
    } catch (thrown) {
      peer.close(`the machine did not answer: ${toArmatureError(thrown).message}`);
    }
  }

  #lost(peer: Peer, reason: string): void {
    if (this.#isClosed || this.#peer !== peer) return;
    this.#peer = undefined;
    this.#lostAt = this.#options.clock.monotonic();
    this.#options.onLost(reason);
    void this.#comeBack(reason);
  }

  async #comeBack(reason: string): Promise<void> {
    const { clock, onBack, onGone } = this.#options;
    const lostAt = this.#lostAt ?? clock.monotonic();
    while (!this.#isClosed && this.#peer === undefined && this.#address !== undefined) {
      if (clock.monotonic() - lostAt >= GIVE_UP_MS) {
        onGone(reason);
        return;
      }
      await sleep(clock, RETRY_MS);
      try {
        await this.#open(this.#address);
        onBack();
        return;
      } catch {
        // It is retried, or given up above.
      }
    }
  }
}
