/** Assumptions about a motor that has not turned yet: those of a small geared motor. */
const FIRST_DELAY_SEC = 0.15;
const FIRST_FRICTION = 0.1;
/** Power that the first command's speed is assumed to need. */
const FIRST_POWER = 0.4;
/** Revolutions per second. */
const MIN_FIRST_GAIN = 0.3;
/** Spread of 1/delay among common motors, 1/s. */
const DRAG_RANGE = 7;
const SHORTEST_DELAY_SEC = 0.01;
const LONGEST_DELAY_SEC = 3;
/** Upper limit for an uncertain delay: too long a delay makes the control too aggressive. */
const MAX_FIRST_DELAY_SEC = 0.5;
const MAX_FRICTION = 0.7;
const FIRST_DEAD_BAND = 0.02;
const MAX_DEAD_BAND = 0.3;
/** Below this power, the dead band is only partly compensated; otherwise the power would jump back and forth. */
const GENTLE_POWER = 0.02;
/** Number of ticks in an analysed stretch of motion, and its limits. */
const TELLING_TICKS = 8;
const MIN_TICKS = 4;
/** Number of ticks over which a first speed is measured. */
const GUESS_TICKS = 3;
const SHORTEST_WINDOW_SEC = 0.12;
/** As a share of the delay: a shorter stretch hardly shows it. */
const WINDOW_OF_DELAY = 0.4;
const LONGEST_WINDOW_SEC = 1.2;
/** Looks per stretch: consecutive stretches overlap. */
const LOOKS_A_WINDOW = 4;
/** After turning for this long, earlier observations count a third. */
const MEMORY_SEC = 15;
/** Time after which a load is known, approximately. */
const LOAD_MEMORY_SEC = 0.5;
/** Minimum change of power within a stretch that makes it informative. */
const MIN_CHANGE = 0.12;
/**
 * Minimum difference between the distances of its halves, as a share of the whole: otherwise a change of load could be
 * mistaken for one of power.
 */
const MIN_SPEED_CHANGE = 0.1;
/** Deviation from the model that always remains, as a share of the motor's push. */
const MISFIT = 0.02;

/** Power that is sure to move an unknown motor. */
const FIRST_BREAKAWAY = 0.5;
/** Static friction, as a multiple of the friction learned while turning. */
const BREAKAWAY = 1.35;
/** Power in addition to what just moves a motor. */
const BREAKAWAY_MARGIN = 0.03;

/** Relative deviation below which a learned value is relied on. */
const PUSH_UNCERTAINTY = 0.35;
const DRAG_UNCERTAINTY = 0.6;

interface Sample {
  readonly sec: number;
  readonly position: number;
  /** Power since the previous sample. */
  readonly power: number;
}

type Matrix = number[][];
/** The parameters: push at full power, dead band and friction times that push, drag by speed. */
const PARAMETERS = [0, 1, 2, 3] as const;

/**
 * Learns how a motor responds to power: `delay * acceleration = gain * (power - dead band - friction) - speed`, by
 * least squares over stretches of motion in one direction. Each stretch is weighted with a bump that is flat at both
 * ends, and differentiation is moved from the position to the bump (method of modulating functions, M. Shinbrot, NACA
 * TN 3288, 1954), so that no speed has to be estimated from a coarse encoder. Kept from one command to the next. Pure:
 * no clock. Revolutions and seconds.
 */
export class MotorModel {
  #gain: number | undefined;
  #delaySec = FIRST_DELAY_SEC;
  #friction = FIRST_FRICTION;
  #deadBand = FIRST_DEAD_BAND;
  #holdingFriction = 0;
  #guess = 1;
  #startPower: number | undefined;
  readonly #startedIn = new Set<1 | -1>();
  readonly #against = new Map<1 | -1, number>();
  #isLearned = false;
  #now = 0;
  #samples: Sample[] = [];
  #lookedSec = 0;
  // Sums of products of the regressors with each other, and of each with the explained value.
  #squares: Matrix = PARAMETERS.map(() => PARAMETERS.map(() => 0));
  #products: number[] = PARAMETERS.map(() => 0);

  /** Revolutions per second at full power, without losses; undefined before the motor has turned. */
  get gain(): number | undefined {
    // The acceleration caused by power is known before the delay is.
    return this.#gain === undefined ? undefined : (this.#gain * this.delaySec) / this.#delaySec;
  }

  /** Time in which a motor closes 63 % of the gap to a new speed. */
  get delaySec(): number {
    return this.#isLearned ? this.#delaySec : Math.min(this.#delaySec, MAX_FIRST_DELAY_SEC);
  }

  /** Power that overcomes friction at any speed, against the direction of motion. */
  get friction(): number {
    return this.#friction;
  }

  /** The last learned friction, which may still hold a motor at rest even if it hunted since. */
  get holdingFriction(): number {
    return Math.max(this.#friction, this.#holdingFriction);
  }

  /**
   * Power above which the motor should turn.
   * @param held friction and load together; undefined if unknown
   */
  breakaway(held: number | undefined): number {
    return held === undefined ? FIRST_BREAKAWAY : this.#deadBand + held * BREAKAWAY + BREAKAWAY_MARGIN;
  }

  /** Power of either sign that the driver does not pass on. */
  get deadBand(): number {
    return this.#deadBand;
  }

  /** Power at which the motor last started to turn, as far as its encoder shows; undefined before the first time. */
  get startPower(): number | undefined {
    return this.#startPower;
  }

  /** Whether the learned values apply to a start in this direction: a hanging load acts in only one. */
  knowsStart(direction: 1 | -1): boolean {
    return this.#isLearned && this.#startedIn.has(direction);
  }

  /** The motor is quicker than assumed, or has less friction: drops what was learned. */
  quicken(): void {
    this.#delaySec = Math.max(SHORTEST_DELAY_SEC, this.#delaySec / 2);
    this.#holdingFriction = this.holdingFriction;
    this.#friction /= 2;
    this.#deadBand /= 2;
    this.#squares = PARAMETERS.map(() => PARAMETERS.map(() => 0));
    this.#products = PARAMETERS.map(() => 0);
    this.#samples = [];
  }

  /** Torque that turning in this direction recently needed, friction and load together; a share of full torque. */
  against(direction: 1 | -1): number {
    return this.#against.get(direction) ?? 0;
  }

  /**
   * The motor turned in this direction for this long, against friction and this torque; positive opposes forward
   * motion.
   */
  felt(sec: number, resistance: number, direction: 1 | -1): void {
    const before = this.against(direction);
    const now = Math.max(0, this.#friction + resistance * direction);
    this.#against.set(direction, before + (now - before) * Math.min(1, sec / LOAD_MEMORY_SEC));
  }

  /** The motor started to turn in this direction at this unsigned power. */
  started(power: number, direction: 1 | -1): void {
    this.#startPower = power;
    this.#startedIn.add(direction);
  }

  /** The part of a power beyond the dead band. */
  effective(power: number): number {
    return Math.sign(power) * Math.max(0, Math.abs(power) - this.#deadBand);
  }

  /** The power with this effective part beyond the dead band; near zero the dead band is crossed gradually. */
  compensated(effective: number): number {
    return effective + this.#deadBand * clamp(effective / GENTLE_POWER, -1, 1);
  }

  /** Whether the motor has turned long enough for the model to be relied on. */
  get isLearned(): boolean {
    return this.#isLearned;
  }

  /** The gain. For an unknown motor, one for which its command's speed takes a good part of the power. */
  get gainOrGuess(): number {
    return this.gain ?? this.#guess;
  }

  /** A command with this speed starts: earlier samples are not part of its motion. */
  begin(cruise: number): void {
    this.#guess = Math.max(MIN_FIRST_GAIN, cruise / FIRST_POWER);
    this.#samples = [];
  }

  /** @param position after `sec` in which `power` was sent; @param tick size of a tick, revolutions */
  observe(sec: number, position: number, power: number, tick: number): void {
    this.#now += sec;
    this.#samples.push({ sec: this.#now, position, power });
    if (!this.#isLearned) this.#raiseGuess(tick);
    const window = this.#window(tick);
    while (this.#samples.length > 2 && this.#now - (this.#samples[1]?.sec ?? 0) >= LONGEST_WINDOW_SEC) {
      this.#samples.shift();
    }
    if (window === undefined) return;
    const [first, last] = [window[0] as Sample, window.at(-1) as Sample];
    const length = last.sec - first.sec;
    if (this.#now - this.#lookedSec < length / LOOKS_A_WINDOW) return;
    if (this.#look(window, tick)) {
      this.#forget(Math.min(length / LOOKS_A_WINDOW, this.#now - this.#lookedSec));
      this.#lookedSec = this.#now;
      this.#fit();
    }
  }

  /** No motor turns faster than its power allows: one that turns faster than assumed has a larger gain. */
  #raiseGuess(tick: number): void {
    const last = this.#samples.at(-1) as Sample;
    const first = this.#samples.findLast(({ position }) => Math.abs(last.position - position) >= GUESS_TICKS * tick);
    if (first === undefined) return;
    const most = Math.max(...this.#samples.map(({ power }) => Math.abs(power)));
    if (most === 0) return;
    const gain = Math.abs(last.position - first.position) / (last.sec - first.sec) / most;
    this.#guess = Math.max(this.#guess, gain);
    if (this.#gain !== undefined) this.#gain = Math.max(this.#gain, gain);
  }

  /** The latest samples with enough ticks, or the whole longest window if that has too few. */
  #window(tick: number): Sample[] | undefined {
    const last = this.#samples.at(-1) as Sample;
    const shortest = clamp(WINDOW_OF_DELAY * this.#delaySec, SHORTEST_WINDOW_SEC, LONGEST_WINDOW_SEC * 0.7);
    for (let index = this.#samples.length - 2; index >= 0; index--) {
      const first = this.#samples[index] as Sample;
      const length = last.sec - first.sec;
      if (length < shortest) continue;
      const ticks = Math.abs(last.position - first.position) / tick;
      if (ticks >= TELLING_TICKS || (length >= LONGEST_WINDOW_SEC * 0.9 && ticks >= MIN_TICKS)) {
        return this.#samples.slice(index);
      }
    }
    return undefined;
  }

  /** Analyses a stretch. Returns whether it was informative. */
  #look(window: readonly Sample[], tick: number): boolean {
    const first = window[0] as Sample;
    const last = window.at(-1) as Sample;
    const length = last.sec - first.sec;
    const middle = (first.position + last.position) / 2;
    let curved = 0;
    let push = 0;
    let swallowed = 0;
    let turn = 0;
    let rub = 0;
    let bump = 0;
    let travelled = 0;
    let direction = 0;
    let reversals = 0;
    const overall = Math.sign(last.position - first.position);
    let lastMoved = first.sec;
    let leastPower = 1;
    let mostPower = -1;
    for (let index = 1; index < window.length; index++) {
      const before = window[index - 1] as Sample;
      const after = window[index] as Sample;
      const step = after.sec - before.sec;
      const moved = after.position - before.position;
      leastPower = Math.min(leastPower, after.power);
      mostPower = Math.max(mostPower, after.power);
      if (moved !== 0) {
        if (moved * direction < 0) reversals++;
        direction = Math.sign(moved);
        travelled += Math.abs(moved);
        lastMoved = after.sec;
      }
      // Friction on a motor at rest may have any value up to its limit.
      if (after.sec - lastMoved > length / 2) return false;
      const share = (before.sec + step / 2 - first.sec) / length;
      const position = (before.position + after.position) / 2 - middle;
      const height = (share * (1 - share)) ** 2;
      curved += (step * position * (2 - 12 * share + 12 * share ** 2)) / length ** 2;
      turn -= (step * position * (2 * share - 6 * share ** 2 + 4 * share ** 3)) / length;
      push += step * height * after.power;
      swallowed += step * height * clamp(after.power / Math.max(0.01, this.#deadBand), -1, 1);
      rub += step * height * (direction === 0 ? overall : direction);
      bump += step * height;
    }
    const half = window[Math.floor(window.length / 2)] as Sample;
    const [early, late] = [Math.abs(half.position - first.position), Math.abs(last.position - half.position)];
    if (this.#isLearned && Math.abs(early - late) < MIN_SPEED_CHANGE * (early + late)) return false;
    // Steady turning is hardly informative: in it, power only follows the ticks.
    const change = this.#isLearned ? mostPower - leastPower : Math.max(Math.abs(mostPower), Math.abs(leastPower));
    if (change < MIN_CHANGE) return false;
    // A stretch with a reversal is useful only with a fine encoder.
    if (travelled < TELLING_TICKS * tick * 2 * reversals) return false;
    const correlationSec = Math.max(length / window.length, (tick * length) / travelled);
    const noise = (((tick ** 2 / 12) * 0.8) / length ** 3) * correlationSec;
    const misfit = (MISFIT * (this.#gain ?? this.#guess) * bump) / this.#delaySec;
    const weight = 1 / (noise + misfit ** 2) / LOOKS_A_WINDOW;
    const regressors = [push, -swallowed, -rub, -turn];
    for (const row of PARAMETERS) {
      const one = weight * (regressors[row] as number);
      this.#products[row] = (this.#products[row] as number) + one * curved;
      const squares = this.#squares[row] as number[];
      for (const column of PARAMETERS)
        squares[column] = (squares[column] as number) + one * (regressors[column] as number);
    }
    return true;
  }

  #forget(sec: number): void {
    const keep = Math.exp(-sec / MEMORY_SEC);
    this.#squares = this.#squares.map((row) => row.map((value) => value * keep));
    this.#products = this.#products.map((value) => value * keep);
  }

  #fit(): void {
    const scale = this.gainOrGuess / this.delaySec;
    const squares = this.#squares.map((row) => [...row]);
    const products = [...this.#products];
    // An assumption counts like one more, uncertain, observation.
    const assume = (parts: readonly number[], value: number, deviation: number): void => {
      parts.forEach((one, row) => {
        products[row] = (products[row] as number) + (one * value) / deviation ** 2;
        parts.forEach((other, column) => {
          const line = squares[row] as number[];
          line[column] = (line[column] as number) + (one * other) / deviation ** 2;
        });
      });
    };
    assume([1, 0, 0, 0], scale, 20 * scale);
    assume([-FIRST_DEAD_BAND, 1, 0, 0], 0, 0.04 * scale);
    assume([-FIRST_FRICTION, 0, 1, 0], 0, 0.15 * scale);
    assume([0, 0, 0, 1], 1 / FIRST_DELAY_SEC, DRAG_RANGE);
    const solved = solve(squares, products);
    if (solved === undefined) return;
    const [push, swallowed, rub, drag] = solved.values as [number, number, number, number];
    const [pushVariance, , , dragVariance] = solved.variances as [number, number, number, number];
    if (!(push > 0) || !(drag > 0)) return;
    this.#delaySec = clamp(1 / drag, SHORTEST_DELAY_SEC, LONGEST_DELAY_SEC);
    this.#gain = push * this.#delaySec;
    this.#friction = clamp(rub / push, 0, MAX_FRICTION);
    this.#deadBand = clamp(swallowed / push, 0, MAX_DEAD_BAND);
    this.#holdingFriction = this.#friction;
    this.#isLearned ||= pushVariance < (PUSH_UNCERTAINTY * push) ** 2 && dragVariance < (DRAG_UNCERTAINTY * drag) ** 2;
  }
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Solves a system of equations; undefined if it has no unique solution. Also returns the diagonal of the inverse. */
function solve(
  matrix: Matrix,
  right: readonly number[],
): { readonly values: readonly number[]; readonly variances: readonly number[] } | undefined {
  const size = right.length;
  const rows = matrix.map((row, index) => [
    ...row,
    right[index] as number,
    ...right.map((_, column) => (column === index ? 1 : 0)),
  ]);
  for (let pivot = 0; pivot < size; pivot++) {
    const line = rows[pivot] as number[];
    const divisor = line[pivot] as number;
    // A sum of squares including the assumptions: positive, or too close to zero to be useful.
    if (!(divisor > 0)) return undefined;
    for (let column = 0; column < line.length; column++) line[column] = (line[column] as number) / divisor;
    rows.forEach((row, index) => {
      const factor = row[pivot] as number;
      if (index === pivot || factor === 0) return;
      for (let column = 0; column < row.length; column++) {
        row[column] = (row[column] as number) - factor * (line[column] as number);
      }
    });
  }
  return {
    values: rows.map((row) => row[size] as number),
    variances: rows.map((row, index) => row[size + 1 + index] as number),
  };
}
