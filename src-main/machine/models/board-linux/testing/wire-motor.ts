/** A motor with an H bridge and an encoder, connected to the wires of the simulated computer. */
import type { SimWorld } from '../../../../hardware/hardware-types.ts';
import { EDGES_PER_TICK, levelsAt } from '../../quadrature.ts';

export interface WireMotorOptions {
  readonly sim: SimWorld;
  readonly chip: string;
  /** Line offsets. */
  readonly wires: {
    readonly a: number;
    readonly b: number;
    /** Undefined for a bridge with only In1 and In2. */
    readonly pwm: number | undefined;
    readonly encoder: readonly [number, number];
  };
  readonly maxRpm: number;
  readonly ticksPerRotation: number;
  /** Its initial position, in encoder edges from zero. */
  readonly edges?: number;
}

const STEP_MS = 5;
const TIME_CONSTANT_MS = 50;

/**
 * A first-order motor, driven by the share of time that the PWM wire was high since the last step. An undriven wire is
 * low, because of the bridge's pull-down resistors.
 */
export class WireMotor {
  readonly #options: WireMotorOptions;
  readonly #timer: NodeJS.Timeout;
  #speed = 0;
  #revolutions = 0;
  #edges = 0;
  #lastMs = performance.now();
  #farthest = 0;
  /** How far it has turned backward, revolutions. */
  mostBackward = 0;

  constructor(options: WireMotorOptions) {
    this.#options = options;
    this.#edges = options.edges ?? 0;
    this.#revolutions = this.#edges / (options.ticksPerRotation * EDGES_PER_TICK);
    this.#farthest = this.#revolutions;
    this.#show(this.#edges);
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  get revolutions(): number {
    return this.#revolutions;
  }

  get isTurning(): boolean {
    return Math.abs(this.#speed) > 0.01;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #step(): void {
    const { sim, chip, wires, maxRpm, ticksPerRotation } = this.#options;
    const high = (offset: number): number => {
      const { isDriven, dutyCycle } = sim.probe(chip, offset);
      return isDriven ? dutyCycle : 0;
    };
    const now = performance.now();
    const elapsedMs = now - this.#lastMs;
    this.#lastMs = now;
    const power = (wires.pwm === undefined ? 1 : high(wires.pwm)) * (high(wires.a) - high(wires.b));
    const target = (power * maxRpm) / 60_000;
    this.#speed = target + (this.#speed - target) * Math.exp(-elapsedMs / TIME_CONSTANT_MS);
    this.#revolutions += this.#speed * elapsedMs;
    this.#farthest = Math.max(this.#farthest, this.#revolutions);
    this.mostBackward = Math.max(this.mostBackward, this.#farthest - this.#revolutions);
    const edges = Math.floor(this.#revolutions * ticksPerRotation * EDGES_PER_TICK);
    while (this.#edges !== edges) this.#show((this.#edges += Math.sign(edges - this.#edges)));
  }

  #show(edges: number): void {
    const { sim, chip, wires } = this.#options;
    const { a, b } = levelsAt(edges);
    sim.pull(chip, wires.encoder[0], a);
    sim.pull(chip, wires.encoder[1], b);
  }
}
