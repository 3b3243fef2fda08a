import type { DigitalInterrupt, Tick } from '../../../apis/board/types.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { EdgeWatch } from '../../../hardware/hardware-types.ts';
import type { LinuxInterruptAttributes } from './attributes.ts';

/** Who watches lines for interrupts. */
export interface InterruptOwner {
  /** Begins to watch the line now. Throws where it cannot be watched. */
  attach(interrupt: LinuxInterrupt): void;
  /** Advances the simulation of the wires, if there is one, to the current time. */
  beforeCatchUp(): void;
  /** Answers with what to throw for a failure. */
  failed(interrupt: LinuxInterrupt, thrown: unknown): ArmatureError;
}

/**
 * A line whose edges are counted. Every edge that is watched ticks, and the value is how many there were, those that
 * were lost included: of both edges twice what servers show that count rising ones; `edges` says which count.
 */
export class LinuxInterrupt implements DigitalInterrupt {
  readonly name: string;
  readonly settings: LinuxInterruptAttributes;
  readonly #owner: InterruptOwner;
  readonly #ticks = new Emitter<Tick>();
  readonly #gaps = new Emitter();
  #watch: { readonly edges: EdgeWatch; readonly offset: number } | undefined;
  #failure: ArmatureError | undefined;
  /** Of watches that ended with their chip. */
  #earlier = { count: 0, lost: 0 };
  #lastNs = 0n;
  /** The kernel's number of the last edge; of a watch that has just begun it is 0. */
  #lastNumber = 0;

  constructor(settings: LinuxInterruptAttributes, owner: InterruptOwner) {
    this.name = settings.name;
    this.settings = settings;
    this.#owner = owner;
  }

  /** Why no edge is seen now; undefined where they are. */
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

  /** Ends with its counts kept, for the reason given. */
  detached(reason: ArmatureError): void {
    this.#earlier = this.counts;
    this.#watch = undefined;
    this.#failure = reason;
  }

  /**
   * An edge, oldest first. Times of edges at one instant are told a nanosecond apart: they grow strictly.
   * @param number the kernel's, which shows what was lost before it
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

  /** An edge that came while nobody listened: what is lost is lost after it. */
  pass(number: number): void {
    this.#lastNumber = number;
  }

  #attached(): { readonly edges: EdgeWatch; readonly offset: number } {
    if (this.#watch === undefined) this.#owner.attach(this);
    if (this.#watch === undefined) throw new ArmatureError('internal.bug', `"${this.name}" was not attached`);
    return this.#watch;
  }
}
