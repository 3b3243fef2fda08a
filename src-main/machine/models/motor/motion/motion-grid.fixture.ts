/**
 * Moves of an encoded motor on simulated bodies of all kinds, with a clock that is moved by hand: their duration and
 * end position.
 */
import { setImmediate } from 'node:timers/promises';
import { noDrive, type Drive } from '../drive/drive.ts';
import { EncodedMotor, type EncodedMotorOptions } from '../encoded-motor.ts';
import { MotorPhysics, type MotorBody } from '../../board-fake/motor-physics.ts';
import type { Encoder } from '../../../../apis/encoder.ts';
import { ManualClock, type Clock } from '../../../../base/clock.ts';
import { silentLogger } from '../../../../base/logger.ts';

/** A kind of motor, and the disturbances of its moves. */
export interface Cell {
  readonly friction: number;
  readonly timeConstantSec: number;
  readonly ticks: number;
  /** Degrees of play between motor and encoder. */
  readonly backlashDeg: number;
  readonly deadBand: number;
  /** Drag that comes and goes at times of its own, share of full torque. */
  readonly drag: number;
  /** Torque of a hanging load, share of full torque: it always pulls backward. Friction must be able to hold it. */
  readonly pull?: number;
  /** Revolutions per second at full power; 2 if absent. */
  readonly topSpeed?: number;
  readonly options?: Partial<EncodedMotorOptions>;
}

/** The result of one move. */
export interface Move {
  readonly failure: string | undefined;
  /** As a multiple of the ideal simulated time: that of a trapezoid with the torque left after friction and load. */
  readonly timeOverIdeal: number;
  /** Ticks from the goal once it rests. */
  readonly missedTicks: number;
  /** Farthest distance beyond the goal, ticks. */
  readonly overshootTicks: number;
}

export interface CellResult {
  readonly cell: Cell;
  readonly moves: readonly Move[];
  /** Shares of the moves, 0 to 1. */
  readonly arrived: number;
  readonly withinOvershoot: number;
  readonly medianTime: number;
  readonly p95Time: number;
  /** Degrees. */
  readonly worstOvershoot: number;
}

/** Static friction over Coulomb friction. */
const BREAKAWAY = 1.3;
const DEFAULT_TOP_SPEED = 2;
const STEP_MS = 5;
const LONGEST_MOVE_MS = 120_000;
/** Moves per motor, before it is replaced by one that has learned nothing. */
const MOVES_OF_A_MOTOR = 10;

function settle(): Promise<void> {
  return setImmediate();
}

/** Pseudo-random numbers from 0 to 1, the same for the same seed (Park and Miller's generator). */
export function randomFrom(seed: number): () => number {
  let state = (seed * 7_919 + 12_345) % 2_147_483_647 || 1;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  next();
  return next;
}

/**
 * Timers of a busy computer: late by about a millisecond, sometimes by many.
 * @param hung how many of every 100 ms the program does not run
 */
function lateClock(clock: Clock, random: () => number, hung: number): Clock {
  const pauseAt = (ms: number): number => {
    const phase = (clock.monotonic() + ms) % 100;
    return phase < hung ? hung - phase : 0;
  };
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback) => {
      const late = ms + 1.5 * random() + (random() < 0.01 ? 15 : 0);
      return clock.after(late + pauseAt(late), callback);
    },
    every: (ms, callback) => clock.every(ms, callback),
  };
}

export type Wires = 'whole' | 'dead' | 'swapped';

/** An encoded motor on a simulated body. */
export class SimulatedAxis {
  readonly clock = new ManualClock();
  readonly body: MotorPhysics;
  readonly motor: EncodedMotor;
  readonly #ticks: number;
  wires: Wires = 'whole';
  power = 0;
  /** Highest power since it was last set to 0. */
  mostPower = 0;
  #deadAt = 0;
  #lastMs: number;

  /** @param hung how many of every 100 ms the program does not run */
  constructor(cell: Cell, seed: number, hung = 0) {
    const { friction, timeConstantSec, ticks, backlashDeg, deadBand, topSpeed = DEFAULT_TOP_SPEED } = cell;
    const body: MotorBody = {
      topSpeed,
      timeConstantSec,
      friction,
      staticFriction: BREAKAWAY * friction,
      deadBand,
      backlash: backlashDeg / 360,
    };
    this.body = new MotorPhysics(body);
    this.#ticks = ticks;
    this.#lastMs = this.clock.monotonic();
    const drive: Drive = {
      ...noDrive,
      apply: (power) => this.#drive(power),
      off: () => this.#drive(0),
    };
    const encoder: Encoder = {
      name: 'enc',
      position: () => Promise.resolve({ value: this.seenTicks(), type: 'ticks' }),
      resetPosition: () => Promise.resolve(),
      properties: () => Promise.resolve({ isTicksSupported: true, isDegreesSupported: false }),
      close: () => Promise.resolve(),
    };
    this.motor = new EncodedMotor({
      name: 'axis',
      drive,
      encoder,
      clock: lateClock(this.clock, randomFrom(seed + 77), hung),
      logger: silentLogger,
      ticksPerRotation: ticks,
      limits: { min: 0, max: 1 },
      slewPerSec: 0,
      ...cell.options,
    });
  }

  advance(): void {
    const now = this.clock.monotonic();
    this.body.advance((now - this.#lastMs) / 1_000, this.power);
    this.#lastMs = now;
  }

  /** The shaft's position in ticks, including the fraction that no encoder shows. */
  get exactTicks(): number {
    return this.body.revolutions * this.#ticks;
  }

  seenTicks(): number {
    this.advance();
    if (this.wires === 'dead') return this.#deadAt;
    const seen = Math.floor(this.exactTicks);
    this.#deadAt = seen;
    return this.wires === 'swapped' ? -seen : seen;
  }

  /** Advances time until `motion` settles; returns how long that took and why it failed. */
  async until(
    motion: Promise<void>,
    onStep: (ms: number) => void,
  ): Promise<{ ms: number; failure: string | undefined }> {
    const start = this.clock.monotonic();
    let isSettled = false;
    let failure: string | undefined;
    motion.then(
      () => (isSettled = true),
      (thrown: unknown) => {
        isSettled = true;
        failure = thrown instanceof Error ? thrown.message : String(thrown);
      },
    );
    await settle();
    while (!isSettled) {
      const ms = this.clock.monotonic() - start;
      if (ms > LONGEST_MOVE_MS) return { ms, failure: 'it does not end' };
      this.clock.advance(STEP_MS);
      this.advance();
      onStep(ms);
      await settle();
    }
    return { ms: this.clock.monotonic() - start, failure };
  }

  async rest(ms: number, onStep: () => void): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.clock.advance(STEP_MS);
      this.advance();
      onStep();
      await settle();
    }
  }

  #drive(power: number): Promise<void> {
    this.advance();
    this.power = power;
    this.mostPower = Math.max(this.mostPower, Math.abs(power));
    return Promise.resolve();
  }
}

/** Default distance from the goal at which a move may end, ticks: two ticks or two degrees. */
export function toleranceTicks(ticks: number): number {
  return Math.max(2, (2 / 360) * ticks);
}

/** How far a move may overshoot its goal, ticks: three ticks or five degrees. */
export function overshootTicks(ticks: number): number {
  return Math.max(3, (5 / 360) * ticks);
}

/** Torque at full power after friction and the load at its worst. */
function torqueLeft({ friction, drag, pull = 0 }: Cell): number {
  return 1 - friction - drag - pull;
}

interface Order {
  /** Revolutions per second. */
  readonly speed: number;
  /** Signed revolutions. */
  readonly way: number;
}

/** Speeds that the motor can reach with friction and load, 0.2 to 4 turns in either direction. */
function orderOf(cell: Cell, random: () => number): Order {
  const left = torqueLeft(cell);
  const speed = (0.2 + 0.6 * random()) * left * (cell.topSpeed ?? DEFAULT_TOP_SPEED);
  const way = 0.2 * 20 ** random() * (random() < 0.5 ? -1 : 1);
  return { speed, way };
}

/** Duration in seconds of a trapezoid whose ramps use the torque left after friction and load. */
function idealSec(cell: Cell, { speed, way }: Order): number {
  const torque = torqueLeft(cell);
  const acceleration = (torque * (cell.topSpeed ?? DEFAULT_TOP_SPEED)) / cell.timeConstantSec;
  const distance = Math.abs(way);
  return distance * acceleration >= speed ** 2
    ? distance / speed + speed / acceleration
    : 2 * Math.sqrt(distance / acceleration);
}

async function move(axis: SimulatedAxis, cell: Cell, order: Order, random: () => number): Promise<Move> {
  const direction = Math.sign(order.way);
  const goal = axis.seenTicks() + order.way * cell.ticks;
  // The middle of the shaft's tick.
  const exactGoal = goal + 0.5;
  let overshoot = 0;
  let drag = random() < 0.5 ? cell.drag : 0;
  const { pull = 0 } = cell;
  axis.body.setLoad({ drag, pull });
  let nextChangeMs = 1_500 * random();
  const look = (): void => {
    overshoot = Math.max(overshoot, (axis.exactTicks - exactGoal) * direction);
  };
  const rpm = order.speed * 60;
  const motion = random() < 0.5 ? axis.motor.goFor(rpm, order.way) : axis.motor.goTo(rpm, goal / cell.ticks);
  const { ms, failure } = await axis.until(motion, (passedMs) => {
    look();
    if (cell.drag === 0 || passedMs < nextChangeMs) return;
    drag = drag === 0 ? cell.drag : 0;
    axis.body.setLoad({ drag, pull });
    nextChangeMs = passedMs + 300 + 1_200 * random();
  });
  await axis.rest(500, look);
  return {
    failure,
    timeOverIdeal: ms / 1_000 / idealSec(cell, order),
    missedTicks: axis.seenTicks() - goal,
    overshootTicks: overshoot,
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Makes `count` seeded moves on motors of one kind, ten on each. */
export async function runCell(cell: Cell, count = 50, seed = 1, hung = 0): Promise<CellResult> {
  const random = randomFrom(seed);
  const moves: Move[] = [];
  let axis = new SimulatedAxis(cell, seed, hung);
  for (let index = 0; index < count; index++) {
    if (index % MOVES_OF_A_MOTOR === 0) axis = new SimulatedAxis(cell, seed + index, hung);
    moves.push(await move(axis, cell, orderOf(cell, random), random));
  }
  const { ticks } = cell;
  // A goal between two ticks can be reached to half a tick.
  const isThere = ({ failure, missedTicks }: Move): boolean =>
    failure === undefined && Math.abs(missedTicks) <= toleranceTicks(ticks) + 0.5;
  const times = moves.map(({ timeOverIdeal }) => timeOverIdeal);
  return {
    cell,
    moves,
    arrived: moves.filter(isThere).length / count,
    withinOvershoot: moves.filter((one) => one.overshootTicks <= overshootTicks(ticks)).length / count,
    medianTime: quantile(times, 0.5),
    p95Time: quantile(times, 0.95),
    worstOvershoot: (Math.max(...moves.map((one) => one.overshootTicks)) / ticks) * 360,
  };
}

export interface Summary {
  readonly moves: number;
  /** Shares of all moves. */
  readonly arrived: number;
  readonly withinOvershoot: number;
  readonly failed: number;
  /** Median and maximum of the cells' medians; the same for the 95th percentile of the moves. */
  readonly medianTime: number;
  readonly worstMedianTime: number;
  readonly p95Time: number;
}

/** Summarizes the moves of several cells. */
export function summaryOf(results: readonly CellResult[]): Summary {
  const moves = results.reduce((sum, result) => sum + result.moves.length, 0);
  const shareOf = (part: (result: CellResult) => number): number =>
    results.reduce((sum, result) => sum + part(result) * result.moves.length, 0) / moves;
  const medians = results.map(({ medianTime }) => medianTime);
  return {
    moves,
    arrived: shareOf(({ arrived }) => arrived),
    withinOvershoot: shareOf(({ withinOvershoot }) => withinOvershoot),
    failed: shareOf(
      (result) => result.moves.filter(({ failure }) => failure !== undefined).length / result.moves.length,
    ),
    medianTime: quantile(medians, 0.5),
    worstMedianTime: Math.max(...medians),
    p95Time: quantile(
      results.map(({ p95Time }) => p95Time),
      0.5,
    ),
  };
}

/** A run with a broken encoder: its duration, the power sent, the distance turned, and the reported error. */
export interface Fault {
  readonly sec: number;
  readonly mostPower: number;
  readonly ticks: number;
  readonly failure: string;
}

/** Whether the motor was stopped in time: within 0.3 s plus a control step, or four ticks of a working encoder. */
export function isStoppedInTime({ sec, ticks }: Fault): boolean {
  return sec <= 0.31 || ticks <= 4.5;
}

/** Turns a motor whose encoder has just broken. */
export async function faultOf(
  cell: Cell,
  wires: Wires,
  { isKnown, speed }: { readonly isKnown: boolean; readonly speed: number },
): Promise<Fault> {
  const axis = new SimulatedAxis(cell, 3);
  const none = (): void => undefined;
  for (const way of isKnown ? [2, -2, 2, -2, 2, -2] : []) {
    await axis.until(axis.motor.goFor(60, way), none);
    await axis.rest(300, none);
  }
  axis.seenTicks();
  axis.wires = wires;
  axis.mostPower = 0;
  const start = axis.body.revolutions;
  const { ms, failure = 'none' } = await axis.until(axis.motor.goFor(speed * 60, 10), none);
  const ticks = Math.abs(axis.body.revolutions - start) * cell.ticks;
  return { sec: ms / 1_000, mostPower: axis.mostPower, ticks, failure };
}

/** The cells of every combination. */
export function cellsOf(kinds: {
  readonly friction: readonly number[];
  readonly timeConstantSec: readonly number[];
  readonly ticks: readonly number[];
  readonly backlashDeg: readonly number[];
  readonly deadBand: readonly number[];
  readonly drag: readonly number[];
}): Cell[] {
  return kinds.friction.flatMap((friction) =>
    kinds.timeConstantSec.flatMap((timeConstantSec) =>
      kinds.ticks.flatMap((ticks) =>
        kinds.backlashDeg.flatMap((backlashDeg) =>
          kinds.deadBand.flatMap((deadBand) =>
            kinds.drag.map((drag) => ({ friction, timeConstantSec, ticks, backlashDeg, deadBand, drag })),
          ),
        ),
      ),
    ),
  );
}

/** The whole grid: 384 kinds of motor. */
export const wholeGrid = {
  friction: [0, 0.03, 0.1, 0.25],
  timeConstantSec: [0.05, 0.2, 1],
  ticks: [12, 48, 200, 2_400],
  backlashDeg: [0, 3],
  deadBand: [0, 0.08],
  drag: [0, 0.15],
};

/** Motors with a broken encoder, to test how soon the fault is detected. */
export const faultGrid = {
  friction: [0.03, 0.1, 0.25],
  timeConstantSec: [0.05, 0.2, 1],
  ticks: [12, 48, 200, 2_400],
  backlashDeg: [0],
  deadBand: [0],
  drag: [0],
};

/** Tested speeds, revolutions per second. */
export const faultSpeeds = [0.4, 1.2];
