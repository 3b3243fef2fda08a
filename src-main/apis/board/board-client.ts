import type { Board, DigitalInterrupt, GpioPin, Tick } from './types.ts';
import { PinOwners } from './pin-owners.ts';
import { addressed, cancelledBy, RemoteResource, type RemoteEndpoint } from '../remote-resource.ts';
import type { Extra } from '../resource.ts';
import { TickStreams } from './tick-streams.ts';
import { ArmatureError } from '../../base/errors.ts';
import { streamFromPeer } from '../../rpc/peer/outbound-call.ts';
import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';

type PinsAndInterrupts = Pick<Board, 'closed' | 'gpioPin' | 'holdsPin' | 'digitalInterrupt'>;

/** A board in another process. A missing pin is noticed only when it is used. */
export class BoardClient extends RemoteResource<typeof BoardServiceDefinition> implements PinsAndInterrupts {
  readonly closed: AbortSignal;
  readonly #ticks: TickStreams;
  readonly #owners = new Map<string, PinOwners>();

  constructor(endpoint: RemoteEndpoint) {
    super(BoardServiceDefinition, endpoint);
    this.closed = endpoint.closed;
    this.#ticks = new TickStreams({
      clock: endpoint.clock,
      closed: endpoint.closed,
      open: async function* (pinNames, signal) {
        const request = { name: endpoint.name, pinNames: [...pinNames], extra: undefined };
        const { codes, start } = endpoint;
        const starting = cancelledBy(signal, start);
        const options = { timeoutMs: undefined, codes };
        const ticks = streamFromPeer(starting, BoardServiceDefinition, 'streamTicks', request, options);
        for await (const { pinName, time, high } of ticks) {
          // The first answer only confirms that ticks follow.
          yield pinName === '' ? undefined : { interrupt: pinName, timeNs: time, isHigh: high };
        }
      },
    });
  }

  gpioPin(pin: string): GpioPin {
    const of = (extra: Extra): { name: string; pin: string; extra: Extra } => ({
      ...addressed(this.name, { extra }),
      pin,
    });
    return {
      set: async (high, extra) => void (await this.call('setGPIO', { ...of(extra), high })),
      get: async (extra) => (await this.call('getGPIO', of(extra))).high,
      setPwm: async (dutyCyclePct, extra) => void (await this.call('setPWM', { ...of(extra), dutyCyclePct })),
      pwm: async (extra) => (await this.call('pWM', of(extra))).dutyCyclePct,
      setPwmFrequency: async (freqHz, extra) => {
        await this.call('setPWMFrequency', { ...of(extra), frequencyHz: BigInt(Math.round(freqHz)) });
      },
      pwmFrequency: async (extra) => Number((await this.call('pWMFrequency', of(extra))).frequencyHz),
      own: () => {
        const owners = this.#owners.get(pin) ?? new PinOwners();
        this.#owners.set(pin, owners);
        return owners.add();
      },
    };
  }

  holdsPin(pin: string): boolean {
    return this.#owners.get(pin)?.hasAny === true;
  }

  digitalInterrupt(name: string): DigitalInterrupt {
    return new RemoteInterrupt(name, this.#ticks, {
      value: async (extra) => {
        const request = { boardName: this.name, digitalInterruptName: name, extra };
        return Number((await this.call('getDigitalInterruptValue', request)).value);
      },
      level: () => this.gpioPin(name).get(),
    });
  }
}

class RemoteInterrupt implements DigitalInterrupt {
  readonly name: string;
  readonly #ticks: TickStreams;
  readonly #reads: { readonly value: (extra?: Extra) => Promise<number>; readonly level: () => Promise<boolean> };

  constructor(
    name: string,
    ticks: TickStreams,
    reads: { readonly value: (extra?: Extra) => Promise<number>; readonly level: () => Promise<boolean> },
  ) {
    this.name = name;
    this.#ticks = ticks;
    this.#reads = reads;
  }

  get failure(): ArmatureError | undefined {
    return this.#ticks.failureOf(this.name);
  }

  value(extra?: Extra): Promise<number> {
    return this.#reads.value(extra);
  }

  /**
   * The level of the pin of the same name; if there are listeners, read only once edges are seen. If the interrupt is
   * not a pin, the level after the last edge; low before the first.
   */
  async level(): Promise<boolean> {
    await this.#ticks.opened(this.name);
    try {
      return await this.#reads.level();
    } catch (thrown) {
      const isNoPin = thrown instanceof ArmatureError && thrown.info.kind === 'user';
      if (!isNoPin) throw thrown;
      return this.#ticks.lastOf(this.name)?.isHigh ?? false;
    }
  }

  onTick(listener: (tick: Tick) => void): () => void {
    return this.#ticks.listen(this.name, listener);
  }
}
