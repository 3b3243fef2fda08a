import type { DigitalInterrupt, Tick } from '../../../apis/board/types.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { EdgeWatch } from '../../../hardware/hardware-types.ts';
import type { LinuxInterruptAttributes } from './attributes.ts';

/** Watches lines for interrupts. */
export interface InterruptOwner {
  /** Starts watching the line now. Throws if it cannot be watched. */
  attach(interrupt: LinuxInterrupt): void;
  /** Advances the simulation of the wires, if there is one, to the current time. */
  beforeCatchUp(): void;
  /** Returns the error to throw for a failure. */
  failed(interrupt: LinuxInterrupt, thrown: unknown): ArmatureError;
}

/**
 * A line whose edges are counted. Every watched edge is a tick. The value is the number of edges, including lost ones.
 * With both edges it is twice the value of servers that count only rising ones; `edges` selects which ones count.
 */
export class LinuxInterrupt implements DigitalInterrupt {
  readonly name: string;
  readonly settings: LinuxInterruptAttributes;
  readonly #owner: InterruptOwner;
  readonly #ticks = new Emitter<Tick>();
  readonly #gaps = new Emitter();
  #watch: { readonly edges: EdgeWatch; readonly offset: number } | undefined;
  #failure: ArmatureError | undefined;
  /** Counts of watches that ended with their chip. */
  #earlier = { count: 0, lost: 0 };
  #lastNs = 0n;
  /** The kernel's sequence number of the last edge; 0 at the start of a watch. */
  #lastNumber = 0;

  constructor(settings: LinuxInterruptAttributes, owner: InterruptOwner) {
    this.name = settings.name;
    this.settings = settings;
    this.#owner = owner;
  }

  /** Why edges cannot be seen now; undefined if they can. */
  get failure(): ArmatureError | undefined {
    return this.#watch === undefined ? this.#failure : undefined;
  }

  get isAttached(): boolean {
    return this.#watch !== undefined;
  }

  get isHeard(): boolean {
    return this.#ticks.size > 0;
  }

  /** Edges so far, and how many of them no listener received. */
  get counts(): { readonly count: number; readonly lost: number } {
    if (this.#watch === undefined) return this.#earlier;
    const { rising, falling, lost } = this.#watch.edges.counts(this.#watch.offset);
    return { count: this.#earlier.count + rising + falling, lost: this.#earlier.lost + lost };
  }

  async value(): Promise<number> {
    this.#attached();
    return this.counts.count;
  }

  async level(): Promise<boolean> {
    const { edges, offset } = this.#attached();
    try {
      return edges.read(offset);
    } catch (thrown) {
      throw this.#owner.failed(this, thrown);
    }
  }

  catchUp(): void {
    if (this.#watch === undefined) return;
    this.#owner.beforeCatchUp();
    this.#watch.edges.deliver();
  }

  onTick(listener: (tick: Tick) => void): () => void {
    return this.#ticks.on(listener);
  }

  onGap(listener: () => void): () => void {
    return this.#gaps.on(listener);
  }

  attached(edges: EdgeWatch, offset: number): void {
    const hadGap = this.#failure !== undefined;
    this.#watch = { edges, offset };
    this.#failure = undefined;
    this.#lastNumber = 0;
    if (hadGap) this.#gaps.emit();
  }

  /** The watch ended for this reason; the counts are kept. */
  detached(reason: ArmatureError): void {
    this.#earlier = this.counts;
    this.#watch = undefined;
    this.#failure = reason;
  }

  /**
   * Reports an edge, oldest first. Edges at the same time are reported a nanosecond apart, so that times strictly
   * increase.
   * @param number the kernel's sequence number, which shows how many edges were lost before this one
   */
  deliver(isHigh: boolean, timeNs: bigint, number: number): void {
    this.#lastNs = timeNs > this.#lastNs ? timeNs : this.#lastNs + 1n;
    // The kernel counts with 32 bits.
    const missed = (number - this.#lastNumber - 1) >>> 0;
    this.#lastNumber = number;
    if (!this.isHeard) return;
    const tick: Tick = { interrupt: this.name, timeNs: this.#lastNs, isHigh, ...(missed > 0 && { missed }) };
    this.#ticks.emit(tick);
  }

  /** An edge that arrived while nobody listened: losses are counted from it. */
  pass(number: number): void {
    this.#lastNumber = number;
  }

  #attached(): { readonly edges: EdgeWatch; readonly offset: number } {
    if (this.#watch === undefined) this.#owner.attach(this);
    if (this.#watch === undefined) throw new ArmatureError('internal.bug', `"${this.name}" was not attached`);
    return this.#watch;
  }
}
