/** An observation of a motor at one moment. */
export interface StepSample {
  /** Since the measurement began, seconds. */
  readonly sec: number;
  /** Ticks counted by then. */
  readonly count: number;
  /** Signed power sent since the previous sample. */
  readonly power: number;
}

/** The position of a run in one direction within the samples, as indices. */
export interface StepRun {
  readonly direction: 1 | -1;
  /** The last sample before power was first sent. */
  readonly begin: number;
  /** The sample with the first tick in the direction of the power. */
  readonly turning: number;
  /** The last sample before the power was switched off. */
  readonly off: number;
  /** The last sample of the run, at rest. */
  readonly end: number;
}

/** A first-order motor with delay and Coulomb friction. Revolutions and seconds; powers are shares of full power. */
export interface StepModel {
  /** Speed per power beyond friction and dead band, revolutions per second at full power. */
  readonly gain: number;
  /** Time in which it closes 63 % of the gap to a new speed. */
  readonly timeConstantSec: number;
  /** Time between a change of power and its first effect. */
  readonly delaySec: number;
  /** Power that overcomes friction at any speed, derived from coasting without power. */
  readonly friction: number;
  /** Power that the driver does not pass on: the losses other than friction. */
  readonly deadBand: number;
}

/** How well a model matches the measurement. */
export interface StepQuality {
  /** Share of the variance of the speed that the model explains, at most 1. */
  readonly r2: number;
  /** Root mean square error of the speed, revolutions per second. */
  readonly rmsError: number;
}

export interface StepFit {
  readonly model: StepModel;
  readonly quality: StepQuality;
  /** Measured speed at each sample, signed revolutions per second. */
  readonly speeds: readonly number[];
  /** The same according to the model. */
  readonly modelSpeeds: readonly number[];
}

/** Bounds of the search: a motor beyond them cannot be controlled with a loop of 10 ms. */
const SHORTEST_SEC = 0.008;
const LONGEST_SEC = 5;
/** Longest delay that is searched for. */
const LONGEST_DELAY_SEC = 0.3;
const FIRST_DELAYS_SEC = [0, 0.01, 0.02, 0.04, 0.08, 0.16];
const FIRST_TIME_CONSTANTS = 16;
/** A delay must reduce the error by at least this share, otherwise it is taken as zero. */
const TELLING_DELAY = 0.03;
const REFINEMENTS = 22;
/** How many ticks a motor must coast, in both directions together, to show its friction. */
const RUN_OUT_TICKS = 12;
/** Number of ticks over which a speed is measured, and the limits of that time. */
const SPEED_TICKS = 4;
const SHORTEST_SPEED_SEC = 0.06;
const LONGEST_SPEED_SEC = 0.25;

/** Columns of the linear part: gain, gain times loss, and for each run its initial position and speed. */
const SHARED = 2;
const OF_A_RUN = 2;

/** A moment at which the encoder counted, when the shaft's position is known better than between ticks. */
interface Edge {
  readonly index: number;
  /** Ticks since the first one of the run, in the run's direction. */
  readonly moved: number;
}

interface Candidate {
  readonly timeConstantSec: number;
  readonly delaySec: number;
}

interface Solved extends Candidate {
  /** Sum of the squared errors, ticks squared. */
  readonly cost: number;
  readonly parts: readonly number[];
}

/**
 * Fits a first-order-plus-delay model with Coulomb friction to encoder counts by least squares, over the time from the
 * first tick until the power ends. For a given delay and time constant the rest is linear, so only these two are
 * searched for (variable projection, G. H. Golub and V. Pereyra, SIAM J. Numer. Anal. 10, 1973). Position and speed at
 * the first tick are also fitted, so nothing has to be known about how the motor started. Friction and dead band are
 * distinguished by how far the motor coasts without power; if it coasts too briefly, all losses count as friction.
 * Undefined if no model fits. Pure.
 * @param tick revolutions per tick
 */
export function fitSteps(samples: readonly StepSample[], runs: readonly StepRun[], tick: number): StepFit | undefined {
  const solved = search(
    samples,
    runs,
    runs.map((run) => edgesOf(samples, run)),
  );
  if (solved === undefined) return undefined;
  const [gainTicks = 0, lossTicks = 0] = solved.parts;
  const loss = Math.max(0, lossTicks / gainTicks);
  const friction = Math.min(loss, frictionOf(samples, runs, solved) ?? loss);
  const model = {
    gain: gainTicks * tick,
    timeConstantSec: solved.timeConstantSec,
    delaySec: solved.delaySec,
    friction,
    deadBand: loss - friction,
  };
  const positions = samples.map(({ count }) => count);
  const drawn = positionsOf(samples, runs, solved, friction);
  const windows = speedWindows(samples);
  const speeds = speedsIn(samples, positions, windows).map((speed) => speed * tick);
  const modelSpeeds = speedsIn(samples, drawn, windows).map((speed) => speed * tick);
  return { model, quality: qualityOf(speeds, modelSpeeds), speeds, modelSpeeds };
}

/** A tick may have come at any time since the previous sample; a fast shaft may be anywhere within its last tick. */
function edgesOf(samples: readonly StepSample[], run: StepRun): Edge[] {
  const edges: Edge[] = [];
  let last = samples[run.turning] as StepSample;
  const { count: first } = last;
  for (let index = run.turning + 1; index <= run.off; index++) {
    const sample = samples[index] as StepSample;
    const ticks = (sample.count - last.count) * run.direction;
    if (ticks <= 0) continue;
    const step = sample.sec - (samples[index - 1] as StepSample).sec;
    const gone = Math.min(1, (ticks * step) / (sample.sec - last.sec));
    edges.push({ index, moved: (sample.count - first) * run.direction + gone / 2 });
    last = sample;
  }
  return edges;
}

function search(
  samples: readonly StepSample[],
  runs: readonly StepRun[],
  edges: readonly (readonly Edge[])[],
): Solved | undefined {
  let best: Solved | undefined;
  const tried = (candidate: Candidate): Solved | undefined => {
    const { timeConstantSec, delaySec } = candidate;
    if (timeConstantSec < SHORTEST_SEC || timeConstantSec > LONGEST_SEC) return undefined;
    if (delaySec < 0 || delaySec > LONGEST_DELAY_SEC) return undefined;
    return solveFor(candidate, samples, runs, edges);
  };
  const refined = (start: Solved, mayDelay: boolean): Solved => {
    let [at, ratio, shift] = [start, 1.25, mayDelay ? 0.01 : 0];
    for (let round = 0; round < REFINEMENTS; round++) {
      const { timeConstantSec, delaySec } = at;
      const around = [
        { timeConstantSec: timeConstantSec * ratio, delaySec },
        { timeConstantSec: timeConstantSec / ratio, delaySec },
        ...(shift > 0
          ? [
              { timeConstantSec, delaySec: delaySec + shift },
              { timeConstantSec, delaySec: Math.max(0, delaySec - shift) },
              { timeConstantSec: timeConstantSec / ratio, delaySec: delaySec + shift },
              { timeConstantSec: timeConstantSec * ratio, delaySec: Math.max(0, delaySec - shift) },
            ]
          : []),
      ];
      const better = around.map(tried).reduce((one, other) => (isBetter(other, one) ? other : one), at);
      if (better === undefined || better === at) {
        ratio = Math.sqrt(ratio);
        shift /= 2;
      } else at = better;
    }
    return at;
  };
  let undelayed: Solved | undefined;
  for (let index = 0; index < FIRST_TIME_CONSTANTS; index++) {
    const timeConstantSec = 0.012 * (3 / 0.012) ** (index / (FIRST_TIME_CONSTANTS - 1));
    for (const delaySec of FIRST_DELAYS_SEC) {
      const solved = tried({ timeConstantSec, delaySec });
      if (isBetter(solved, best)) best = solved;
      if (delaySec === 0 && isBetter(solved, undelayed)) undelayed = solved;
    }
  }
  if (undelayed !== undefined) undelayed = refined(undelayed, false);
  if (best === undefined) return undelayed;
  best = refined(best, true);
  return undelayed !== undefined && undelayed.cost * (1 - TELLING_DELAY) <= best.cost ? undelayed : best;
}

function isBetter(one: Solved | undefined, other: Solved | undefined): boolean {
  return one !== undefined && (other === undefined || one.cost < other.cost);
}

/** The best model with this time constant and delay. */
function solveFor(
  candidate: Candidate,
  samples: readonly StepSample[],
  runs: readonly StepRun[],
  edges: readonly (readonly Edge[])[],
): Solved | undefined {
  const size = SHARED + OF_A_RUN * runs.length;
  const squares = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  const products = new Array<number>(size).fill(0);
  const row = new Array<number>(size).fill(0);
  let total = 0;
  let seen = 0;
  runs.forEach((run, which) => {
    const ownEdges = edges[which] as readonly Edge[];
    let next = 0;
    const own = SHARED + OF_A_RUN * which;
    const used = [0, 1, own, own + 1];
    forEachMoment(candidate, samples, run, (index, { pushed, rubbed, ran }) => {
      const edge = ownEdges[next];
      if (edge?.index !== index) return;
      next++;
      const { moved } = edge;
      row[0] = pushed;
      row[1] = -rubbed;
      row[own] = 1;
      row[own + 1] = ran;
      for (const column of used) {
        const one = row[column] as number;
        const line = squares[column] as number[];
        products[column] = (products[column] as number) + one * moved;
        for (const other of used) line[other] = (line[other] as number) + one * (row[other] as number);
      }
      total += moved ** 2;
      seen++;
    });
  });
  if (seen <= size) return undefined;
  const parts = solveSymmetric(squares, products);
  if (parts === undefined || !((parts[0] as number) > 0)) return undefined;
  const explained = parts.reduce((sum, part, index) => sum + part * (products[index] as number), 0);
  return { ...candidate, parts, cost: Math.max(0, total - explained) };
}

/** The response of a motor with a gain of one tick per second, since its first tick. */
interface Regressors {
  /** Ticks, and ticks per second, caused by the power. */
  readonly pushed: number;
  readonly pushedSpeed: number;
  /** Ticks lost to a power of 1 against the motor. */
  readonly rubbed: number;
  /** Ticks per unit of initial speed (ticks per second). */
  readonly ran: number;
}

/** Steps through a run from its first tick to the end of its power. */
function forEachMoment(
  { timeConstantSec, delaySec }: Candidate,
  samples: readonly StepSample[],
  run: StepRun,
  look: (index: number, regressors: Regressors) => void,
): void {
  const { sec: start } = samples[run.turning] as StepSample;
  let [pushed, pushedSpeed, at] = [0, 0, start];
  let piece = run.begin;
  for (let index = run.turning; index <= run.off; index++) {
    const { sec } = samples[index] as StepSample;
    while (at < sec) {
      // A sample's power was sent until that sample, and takes effect after the delay.
      while (piece < run.off && (samples[piece] as StepSample).sec <= at - delaySec + 1e-9) piece++;
      const sent = samples[piece] as StepSample;
      const until = piece < run.off ? Math.min(sec, sent.sec + delaySec) : sec;
      const power = Math.abs(sent.power);
      const keep = Math.exp(-(until - at) / timeConstantSec);
      pushed += power * (until - at) + (pushedSpeed - power) * timeConstantSec * (1 - keep);
      pushedSpeed = power + (pushedSpeed - power) * keep;
      at = until;
    }
    const ran = timeConstantSec * (1 - Math.exp(-(sec - start) / timeConstantSec));
    look(index, { pushed, pushedSpeed, rubbed: sec - start - ran, ran });
  }
}

/** Ticks since the first one of a run, and speed, at the end of the power. */
function atOff(
  samples: readonly StepSample[],
  run: StepRun,
  which: number,
  solved: Solved,
): { readonly moved: number; readonly speed: number } {
  const { parts, timeConstantSec } = solved;
  const [gain = 0, loss = 0] = parts;
  const [start = 0, startSpeed = 0] = parts.slice(SHARED + OF_A_RUN * which);
  let [moved, speed] = [0, 0];
  forEachMoment(solved, samples, run, (_, { pushed, pushedSpeed, rubbed, ran }) => {
    const keep = 1 - ran / timeConstantSec;
    moved = start + gain * pushed - loss * rubbed + startSpeed * ran;
    speed = gain * pushedSpeed - loss * (1 - keep) + startSpeed * keep;
  });
  return { moved, speed };
}

/**
 * Friction as a share of power, from how far the motor coasted; 0 if it coasted farther than it would without friction.
 * Undefined if it coasted too few ticks.
 */
function frictionOf(samples: readonly StepSample[], runs: readonly StepRun[], solved: Solved): number | undefined {
  const { timeConstantSec, delaySec, parts } = solved;
  const [gain = 1] = parts;
  let [products, squares, ticks] = [0, 0, 0];
  runs.forEach((run, which) => {
    const { sec: offSec, count: offCount } = samples[run.off] as StepSample;
    const { speed } = atOff(samples, run, which, solved);
    const lastTick = lastTickOf(samples, run);
    ticks += Math.abs((samples[lastTick] as StepSample).count - offCount);
    for (let index = run.off + 1; index <= lastTick; index++) {
      const { sec, count } = samples[index] as StepSample;
      const since = sec - offSec - delaySec;
      if (since <= 0) continue;
      const ran = timeConstantSec * (1 - Math.exp(-since / timeConstantSec));
      const missing = speed * (delaySec + ran) - (count - offCount) * run.direction;
      const rubbed = since - ran;
      products += rubbed * missing;
      squares += rubbed ** 2;
    }
  });
  return ticks < RUN_OUT_TICKS || squares === 0 ? undefined : Math.max(0, products / squares / gain);
}

function lastTickOf(samples: readonly StepSample[], run: StepRun): number {
  for (let index = run.end; index > run.off; index--) {
    if ((samples[index] as StepSample).count !== (samples[index - 1] as StepSample).count) return index;
  }
  return run.off;
}

/** The model's shaft position at each sample, in ticks; between runs it keeps the error of the last run. */
function positionsOf(
  samples: readonly StepSample[],
  runs: readonly StepRun[],
  solved: Solved,
  friction: number,
): number[] {
  const { timeConstantSec, delaySec, parts } = solved;
  const [gain = 0, loss = 0] = parts;
  const positions = samples.map(({ count }) => count);
  let off = 0;
  runs.forEach((run, which) => {
    for (let index = run.begin; index < run.turning; index++)
      positions[index] = (samples[index] as StepSample).count + off;
    const first = (samples[run.turning] as StepSample).count + off;
    const [start = 0, startSpeed = 0] = parts.slice(SHARED + OF_A_RUN * which);
    forEachMoment(solved, samples, run, (index, { pushed, rubbed, ran }) => {
      positions[index] = first + run.direction * (start + gain * pushed - loss * rubbed + startSpeed * ran);
    });
    const { moved, speed } = atOff(samples, run, which, solved);
    const { sec: offSec } = samples[run.off] as StepSample;
    const rub = gain * friction;
    // Friction ends the motion when the speed is zero.
    const standsAfter = rub > 0 ? timeConstantSec * Math.log(1 + Math.max(0, speed) / rub) : Number.POSITIVE_INFINITY;
    for (let index = run.off + 1; index <= run.end; index++) {
      const since = (samples[index] as StepSample).sec - offSec;
      const late = Math.min(since, delaySec);
      const turns = Math.min(standsAfter, since - late);
      const ran = timeConstantSec * (1 - Math.exp(-turns / timeConstantSec));
      positions[index] = first + run.direction * (moved + speed * (late + ran) - rub * (turns - ran));
    }
    off = (positions[run.end] as number) - (samples[run.end] as StepSample).count;
  });
  return positions;
}

interface SpeedWindow {
  readonly from: number;
  readonly to: number;
}

/** The window around each sample in which its speed is measured: as short as a few ticks allow. */
function speedWindows(samples: readonly StepSample[]): SpeedWindow[] {
  return samples.map((_, index) => {
    let [from, to] = [index, index];
    for (;;) {
      const [first, last] = [samples[from] as StepSample, samples[to] as StepSample];
      const length = last.sec - first.sec;
      const isLong = length >= SHORTEST_SPEED_SEC && Math.abs(last.count - first.count) >= SPEED_TICKS;
      if (isLong || length >= LONGEST_SPEED_SEC || (from === 0 && to === samples.length - 1)) return { from, to };
      from = Math.max(0, from - 1);
      to = Math.min(samples.length - 1, to + 1);
    }
  });
}

function speedsIn(
  samples: readonly StepSample[],
  positions: readonly number[],
  windows: readonly SpeedWindow[],
): number[] {
  return windows.map(({ from, to }) => {
    const sec = (samples[to] as StepSample).sec - (samples[from] as StepSample).sec;
    return sec > 0 ? ((positions[to] as number) - (positions[from] as number)) / sec : 0;
  });
}

function qualityOf(speeds: readonly number[], modelSpeeds: readonly number[]): StepQuality {
  const mean = speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length;
  let [missed, varied] = [0, 0];
  speeds.forEach((speed, index) => {
    missed += (speed - (modelSpeeds[index] as number)) ** 2;
    varied += (speed - mean) ** 2;
  });
  return { r2: varied > 0 ? 1 - missed / varied : 0, rmsError: Math.sqrt(missed / speeds.length) };
}

/** Solves a positive definite system by Cholesky decomposition; undefined if it is not positive definite. */
function solveSymmetric(matrix: readonly (readonly number[])[], right: readonly number[]): number[] | undefined {
  const size = right.length;
  // Scales the diagonal, so that the test for too small values is independent of units.
  const scale = matrix.map((row, index) => Math.sqrt(row[index] as number));
  if (scale.some((each) => !(each > 0))) return undefined;
  const lower: number[][] = [];
  for (let row = 0; row < size; row++) {
    const line: number[] = [];
    for (let column = 0; column <= row; column++) {
      const [one, other] = [scale[row] as number, scale[column] as number];
      let rest = ((matrix[row] as readonly number[])[column] as number) / one / other;
      for (let each = 0; each < column; each++)
        rest -= (line[each] as number) * ((lower[column] ?? line)[each] as number);
      if (row === column) {
        if (!(rest > 1e-12)) return undefined;
        line.push(Math.sqrt(rest));
      } else line.push(rest / ((lower[column] as number[])[column] as number));
    }
    lower.push(line);
  }
  const forward: number[] = [];
  for (let row = 0; row < size; row++) {
    let rest = (right[row] as number) / (scale[row] as number);
    for (let each = 0; each < row; each++)
      rest -= ((lower[row] as number[])[each] as number) * (forward[each] as number);
    forward.push(rest / ((lower[row] as number[])[row] as number));
  }
  const solution = new Array<number>(size).fill(0);
  for (let row = size - 1; row >= 0; row--) {
    let rest = forward[row] as number;
    for (let each = row + 1; each < size; each++) {
      rest -= ((lower[each] as number[])[row] as number) * (solution[each] as number);
    }
    solution[row] = rest / ((lower[row] as number[])[row] as number);
  }
  return solution.map((value, index) => value / (scale[index] as number));
}
