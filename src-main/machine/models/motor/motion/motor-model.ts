/** What is assumed of a motor that was not seen turning: that of a small geared one. */
const FIRST_DELAY_SEC = 0.15;
const FIRST_FRICTION = 0.1;
/** Power that the speed of the first command is taken to need. */
const FIRST_POWER = 0.4;
/** Revolutions a second. */
const MIN_FIRST_GAIN = 0.3;
/** One over the delays of usual motors differ by so much, 1/s. */
const DRAG_RANGE = 7;
const SHORTEST_DELAY_SEC = 0.01;
const LONGEST_DELAY_SEC = 3;
/** What is not sure is not acted upon: too long a delay makes the control too hard. */
const MAX_FIRST_DELAY_SEC = 0.5;
const MAX_FRICTION = 0.7;
const FIRST_DEAD_BAND = 0.02;
const MAX_DEAD_BAND = 0.3;
/** Power below which the dead band is only partly made up for: else it would be jumped to and fro. */
const GENTLE_POWER = 0.02;
/** A stretch of motion that is looked at: as long as some ticks need, within these. */
const TELLING_TICKS = 8;
const MIN_TICKS = 4;
/** Ticks over which a first speed is measured. */
const GUESS_TICKS = 3;
const SHORTEST_WINDOW_SEC = 0.12;
/** As a share of the delay: a shorter stretch hardly shows it. */
const WINDOW_OF_DELAY = 0.4;
const LONGEST_WINDOW_SEC = 1.2;
/** Looks at a stretch as long as it is: they overlap so far. */
const LOOKS_A_WINDOW = 4;
/** Turning for so long makes what was seen before count a third. */
const MEMORY_SEC = 15;
/** A load is known after about as long. */
const LOAD_MEMORY_SEC = 0.5;
/** Power must change by so much in a stretch for it to tell anything. */
const MIN_CHANGE = 0.12;
/** And the way of its halves must differ by so much of the whole: else a change of load is taken for one of power. */
const MIN_SPEED_CHANGE = 0.1;
/** How far a motor is from the model whatever is learned, as a share of its push. */
const MISFIT = 0.02;

/** Power that must move a motor that nothing is known of. */
const FIRST_BREAKAWAY = 0.5;
/** Static friction over the one learned while turning. */
const BREAKAWAY = 1.35;
/** Power on top of what must just move a motor. */
const BREAKAWAY_MARGIN = 0.03;

/** Deviation of what was learned, as a share of it, from which on it is relied on. */
const PUSH_UNCERTAINTY = 0.35;
const DRAG_UNCERTAINTY = 0.6;

interface Sample {
  readonly sec: number;
  readonly position: number;
  /** Power since the sample before. */
  readonly power: number;
}

type Matrix = number[][];
/** Push of full power, dead band and friction times that push, drag by speed. */
const PARAMETERS = [0, 1, 2, 3] as const;

/**
 * Learns how a motor answers to power: `delay * acceleration = gain * (power - dead band - friction) - speed`, by least
 * squares over stretches of motion in one direction. Each stretch is weighted with a bump that is flat at both ends, and
 * the differentiation is moved from the position to the bump (method of modulating functions, M. Shinbrot, NACA TN 3288,
 * 1954), so that a coarse encoder needs no speed to be guessed. Kept from one command to the next. Pure: no clock.
 * Revolutions and seconds.
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
  // Sums of the products of the regressors with each other, and of each with what is explained.
  #squares: Matrix = PARAMETERS.map(() => PARAMETERS.map(() => 0));
  #products: number[] = PARAMETERS.map(() => 0);

  /** Revolutions a second that full power adds to; undefined before the motor was seen turning. */
  get gain(): number | undefined {
    // What the power makes of the acceleration is sure before the delay is.
    return this.#gain === undefined ? undefined : (this.#gain * this.delaySec) / this.#delaySec;
  }

  /** Time in which a motor closes 63 % of the gap to a new speed. */
  get delaySec(): number {
    return this.#isLearned ? this.#delaySec : Math.min(this.#delaySec, MAX_FIRST_DELAY_SEC);
  }

  /** Power that turning takes at any speed, against the direction of the turning. */
  get friction(): number {
    return this.#friction;
  }

  /** The friction that was last learned, which a motor at rest may have even if it hunted since. */
  get holdingFriction(): number {
    return Math.max(this.#friction, this.#holdingFriction);
  }

  /**
   * Power above which a motor that gets it should turn.
   * @param held what holds it, friction and load together; undefined where nothing is known of that
   */
  breakaway(held: number | undefined): number {
    return held === undefined ? FIRST_BREAKAWAY : this.#deadBand + held * BREAKAWAY + BREAKAWAY_MARGIN;
  }

  /** Power that the driver swallows, of either sign. */
  get deadBand(): number {
    return this.#deadBand;
  }

  /** Power at which the motor began to turn lately, as far as its encoder shows; undefined before the first time. */
  get startPower(): number | undefined {
    return this.#startPower;
  }

  /** Whether what is learned holds for a start in this direction: a load that hangs on the motor shows in one only. */
  knowsStart(direction: 1 | -1): boolean {
    return this.#isLearned && this.#startedIn.has(direction);
  }

  /** The motor turned out quicker than it was taken for, or to have less friction: what was learned counts no more. */
  quicken(): void {
    this.#delaySec = Math.max(SHORTEST_DELAY_SEC, this.#delaySec / 2);
    this.#holdingFriction = this.holdingFriction;
    this.#friction /= 2;
    this.#deadBand /= 2;
    this.#squares = PARAMETERS.map(() => PARAMETERS.map(() => 0));
    this.#products = PARAMETERS.map(() => 0);
    this.#samples = [];
  }

  /** Torque that turning in this direction took lately, friction and load together; a share of full torque. */
  against(direction: 1 | -1): number {
    return this.#against.get(direction) ?? 0;
  }

  /** It turned in this direction for so long, against friction and this torque; positive is against forward. */
  felt(sec: number, resistance: number, direction: 1 | -1): void {
    const before = this.against(direction);
    const now = Math.max(0, this.#friction + resistance * direction);
    this.#against.set(direction, before + (now - before) * Math.min(1, sec / LOAD_MEMORY_SEC));
  }

  /** It began to turn in this direction with this power, which has no sign. */
  started(power: number, direction: 1 | -1): void {
    this.#startPower = power;
    this.#startedIn.add(direction);
  }

  /** What is left of a power behind the dead band. */
  effective(power: number): number {
    return Math.sign(power) * Math.max(0, Math.abs(power) - this.#deadBand);
  }

  /** Power that leaves so much behind the dead band; near none it is passed gently. */
  compensated(effective: number): number {
    return effective + this.#deadBand * clamp(effective / GENTLE_POWER, -1, 1);
  }

  /** Whether it was seen turning long enough to be relied on. */
  get isLearned(): boolean {
    return this.#isLearned;
  }

  /** The gain, or for a motor never seen one that makes the speed of its command take a good part of the power. */
  get gainOrGuess(): number {
    return this.gain ?? this.#guess;
  }

  /** A command with this speed begins: what came before is no part of its motion. */
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

  /** No motor turns faster than its power makes it: what turns faster than it was taken for has the larger gain. */
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

  /** The latest samples that have enough ticks, or all of the longest window if that has few. */
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

  /** Whether the stretch said something. */
  #look(window: readonly Sample[], tick: number): boolean {
    const first = window[0] as Sample;
    const last = window.at(-1) as Sample;
    const length = last.sec - first.sec;
    const middle = (first.position + last.position) / 2;
    let [curved, push, swallowed, turn, rub, bump, travelled] = [0, 0, 0, 0, 0, 0, 0];
    let [direction, reversals] = [0, 0];
    const overall = Math.sign(last.position - first.position);
    let lastMoved = first.sec;
    let [leastPower, mostPower] = [1, -1];
    for (let index = 1; index < window.length; index++) {
      const [before, after] = [window[index - 1] as Sample, window[index] as Sample];
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
      // A motor that stands is held by as much friction as it takes.
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
    // Steady turning says little, and what it says is that power follows the ticks.
    const change = this.#isLearned ? mostPower - leastPower : Math.max(Math.abs(mostPower), Math.abs(leastPower));
    if (change < MIN_CHANGE) return false;
    // Where it turned round only a fine encoder can tell.
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
    // What is assumed counts as one more, blurred, look at each.
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

/** Solves a system of equations; undefined where it has no single solution. With the diagonal of the inverse. */
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
    // Sums of squares with what is assumed: positive, or too near to nothing to be of use.
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
