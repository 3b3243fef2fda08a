import { readFileSync } from 'node:fs';
import { edgesTold, level, pull, type Chip, type Line } from './bench.ts';

export interface ShaftOptions {
  readonly chip: Chip;
  /** Lines of the H bridge. */
  readonly in1: Line;
  readonly in2: Line;
  /** Folder of the PWM channel at the bridge: `/sys/class/pwm/pwmchip0/pwm3`. */
  readonly pwmFolder: string;
  /** Offsets of the encoder's channels. */
  readonly a: number;
  readonly b: number;
  /** What the program that watches them calls itself. */
  readonly consumer: string;
  readonly maxRpm: number;
  /** Edges of both channels in a turn. */
  readonly edgesPerTurn: number;
}

const STEP_MS = 10;
/** A step that comes later is as long as this one. */
const LONGEST_STEP_MS = 30;
const TIME_CONSTANT_MS = 80;
/** Channels over one period, turning forward. */
const phases = [
  [false, false],
  [true, false],
  [true, true],
  [false, true],
] as const;

/**
 * A motor with an encoder at the other end of the wires: it turns as the kernel says that the lines and the PWM channel
 * are driven, and shows its edges on lines of its own. Its time stands still while this program does, and until the kernel
 * has told the last edge: of two that come faster gpio-sim makes one.
 */
export class Shaft {
  readonly #options: ShaftOptions;
  readonly #timer: NodeJS.Timeout;
  /** Turns a millisecond. */
  #speed = 0;
  #turns = 0;
  #edges = 0;
  #lastMs = performance.now();
  /** What the kernel had told before the last edge. */
  #toldBefore: number | undefined;

  constructor(options: ShaftOptions) {
    this.#options = options;
    this.#show();
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  get turns(): number {
    return this.#turns;
  }

  get isTurning(): boolean {
    return Math.abs(this.#speed) > 1e-6;
  }

  /** What the kernel says is driven: -1 to 1. */
  get power(): number {
    const { chip, in1, in2 } = this.#options;
    return this.#duty() * (Number(level(chip, in1)) - Number(level(chip, in2)));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #step(): void {
    const { maxRpm, edgesPerTurn } = this.#options;
    const now = performance.now();
    const elapsedMs = Math.min(LONGEST_STEP_MS, now - this.#lastMs);
    this.#lastMs = now;
    if (this.#toldBefore !== undefined && this.#told() === this.#toldBefore) return;
    const target = (this.power * maxRpm) / 60_000;
    this.#speed = target + (this.#speed - target) * Math.exp(-elapsedMs / TIME_CONSTANT_MS);
    this.#turns += this.#speed * elapsedMs;
    const edges = Math.floor(this.#turns * edgesPerTurn);
    if (edges === this.#edges) return;
    this.#toldBefore = this.#told();
    this.#edges += Math.sign(edges - this.#edges);
    this.#show();
  }

  #show(): void {
    const { chip, a, b } = this.#options;
    const [isA, isB] = phases[((this.#edges % 4) + 4) % 4] ?? phases[0];
    pull(chip, a, isA);
    pull(chip, b, isB);
  }

  /** Edges of both channels that the kernel has told; undefined where nobody watches them. */
  #told(): number | undefined {
    const { a, b, consumer } = this.#options;
    const [ofA, ofB] = [edgesTold(consumer, a), edgesTold(consumer, b)];
    return ofA === undefined || ofB === undefined ? undefined : ofA + ofB;
  }

  #duty(): number {
    try {
      const [period, duty, enable] = ['period', 'duty_cycle', 'enable'].map((name) =>
        Number(readFileSync(`${this.#options.pwmFolder}/${name}`, 'utf8')),
      );
      return enable === 1 && period !== undefined && period > 0 ? (duty ?? 0) / period : 0;
    } catch {
      return 0; // not exported: nothing drives it
    }
  }
}
