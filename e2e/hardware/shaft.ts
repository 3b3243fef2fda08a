import { readFileSync, writeFileSync } from 'node:fs';
import { lineFile, type Chip, type Line } from './bench.ts';
import { MotorPhysics, type MotorBody } from '../../src-main/machine/models/board-fake/motor-physics.ts';

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
  /** Edges of both channels per turn. */
  readonly edgesPerTurn: number;
  readonly body: MotorBody;
}

const STEP_MS = 10;
/** Longer steps are cut to this length: the shaft stands still while this program does. */
const LONGEST_STEP_MS = 200;
/** Channels over one period, turning forward. */
const phases = [
  [false, false],
  [true, false],
  [true, true],
  [false, true],
] as const;

/**
 * A motor with an encoder at the other end of the wires: it turns according to the kernel's state of the lines and the
 * PWM channel, and makes its edges on its own lines; the kernel has delivered each of them ({@link tellEdgesAtOnce}).
 */
export class Shaft {
  readonly #options: ShaftOptions;
  readonly #bridge: readonly [string, string];
  readonly #channels: readonly [string, string];
  readonly #timer: NodeJS.Timeout;
  readonly #physics: MotorPhysics;
  #edges = 0;
  #lastMs = performance.now();

  constructor(options: ShaftOptions) {
    const { chip, in1, in2, encoder } = options;
    this.#options = options;
    this.#physics = new MotorPhysics(options.body);
    this.#bridge = [lineFile(chip, in1, 'value'), lineFile(chip, in2, 'value')];
    this.#channels = [lineFile(chip, encoder[0], 'pull'), lineFile(chip, encoder[1], 'pull')];
    this.#show();
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  get turns(): number {
    return this.#physics.revolutions;
  }

  get isTurning(): boolean {
    return !this.#physics.isAtRest(this.#power());
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #step(): void {
    const now = performance.now();
    const elapsedMs = Math.min(LONGEST_STEP_MS, now - this.#lastMs);
    this.#lastMs = now;
    this.#physics.advance(elapsedMs / 1_000, this.#power());
    const edges = Math.floor(this.#physics.revolutions * this.#options.edgesPerTurn);
    while (this.#edges !== edges) {
      this.#edges += Math.sign(edges - this.#edges);
      this.#show();
    }
  }

  /** The driven power according to the kernel: -1 to 1. */
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
