import { readFileSync, writeFileSync } from 'node:fs';
import { lineFile, type Chip, type Line } from './bench.ts';

export interface ShaftOptions {
  /** Must stay plugged in. */
  readonly chip: Chip;
  /** Lines of the H bridge. */
  readonly in1: Line;
  readonly in2: Line;
  /** Folder of the PWM channel at the bridge: `/sys/class/pwm/pwmchip0/pwm3`. */
  readonly pwmFolder: string;
  /** Offsets of the encoder's channels. */
  readonly encoder: readonly [number, number];
  readonly maxRpm: number;
  /** Edges of both channels in a turn. */
  readonly edgesPerTurn: number;
}

const STEP_MS = 10;
/** A step that comes later is as long as this one: the shaft stands still while this program does. */
const LONGEST_STEP_MS = 200;
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
 * are driven, and shows its edges on lines of its own, each of which the kernel has taken ({@link tellEdgesAtOnce}).
 */
export class Shaft {
  readonly #options: ShaftOptions;
  readonly #bridge: readonly [string, string];
  readonly #channels: readonly [string, string];
  readonly #timer: NodeJS.Timeout;
  /** Turns a millisecond. */
  #speed = 0;
  #turns = 0;
  #edges = 0;
  #lastMs = performance.now();

  constructor(options: ShaftOptions) {
    const { chip, in1, in2, encoder } = options;
    this.#options = options;
    this.#bridge = [lineFile(chip, in1, 'value'), lineFile(chip, in2, 'value')];
    this.#channels = [lineFile(chip, encoder[0], 'pull'), lineFile(chip, encoder[1], 'pull')];
    this.#show();
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  get turns(): number {
    return this.#turns;
  }

  get isTurning(): boolean {
    return Math.abs(this.#speed) > 1e-6;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #step(): void {
    const { maxRpm, edgesPerTurn } = this.#options;
    const now = performance.now();
    const elapsedMs = Math.min(LONGEST_STEP_MS, now - this.#lastMs);
    this.#lastMs = now;
    const target = (this.#power() * maxRpm) / 60_000;
    this.#speed = target + (this.#speed - target) * Math.exp(-elapsedMs / TIME_CONSTANT_MS);
    this.#turns += this.#speed * elapsedMs;
    const edges = Math.floor(this.#turns * edgesPerTurn);
    while (this.#edges !== edges) {
      this.#edges += Math.sign(edges - this.#edges);
      this.#show();
    }
  }

  /** What the kernel says is driven: -1 to 1. */
  #power(): number {
    const [isForward, isBackward] = this.#bridge.map((file) => readFileSync(file, 'utf8').trim() === '1');
    return isForward === isBackward ? 0 : this.#duty() * (isForward === true ? 1 : -1);
  }

  #duty(): number {
    try {
      const [period = 0, duty = 0, enable] = ['period', 'duty_cycle', 'enable'].map((name) =>
        Number(readFileSync(`${this.#options.pwmFolder}/${name}`, 'utf8')),
      );
      return enable === 1 && period > 0 ? duty / period : 0;
    } catch {
      return 0; // not exported: nothing drives it
    }
  }

  #show(): void {
    const [isA, isB] = phases[((this.#edges % 4) + 4) % 4] ?? phases[0];
    writeFileSync(this.#channels[0], isA ? 'pull-up' : 'pull-down');
    writeFileSync(this.#channels[1], isB ? 'pull-up' : 'pull-down');
  }
}
