/** What was seen of a motor at one moment. */
export interface StepSample {
  /** Since the measurement began, seconds. */
  readonly sec: number;
  /** Ticks counted by then. */
  readonly count: number;
  /** Signed power that was sent since the sample before. */
  readonly power: number;
}

/** Where in the samples a run in one direction is. Indices. */
export interface StepRun {
  readonly direction: 1 | -1;
  /** Of the sample that power was first sent after. */
  readonly begin: number;
  /** Of the sample that showed the first tick in the direction of the power. */
  readonly turning: number;
  /** Of the last sample before the power was switched off. */
  readonly off: number;
  /** Of the last sample of the run, at rest. */
  readonly end: number;
}

/** A motor of first order with delay and Coulomb friction. Revolutions and seconds; powers are shares of full power. */
export interface StepModel {
  /** Speed that each share of power beyond friction and dead band adds, revolutions a second per full power. */
  readonly gain: number;
  /** Time in which it closes 63 % of the gap to a new speed. */
  readonly timeConstantSec: number;
  /** Time between a change of power and its first effect. */
  readonly delaySec: number;
  /** Power that turning takes at any speed, as it runs out without power. */
  readonly friction: number;
  /** Power that the driver swallows before the motor gets any: what is lost beside the friction. */
  readonly deadBand: number;
}

/** How well a model says what was measured. */
export interface StepQuality {
  /** Share of the variance of the speed that the model explains, at most 1. */
  readonly r2: number;
  /** Root mean square of what it misses, revolutions a second. */
  readonly rmsError: number;
}

export interface StepFit {
  readonly model: StepModel;
  readonly quality: StepQuality;
  /** Measured speed at each sample, signed revolutions a second. */
  readonly speeds: readonly number[];
  /** The same as the model has it. */
  readonly modelSpeeds: readonly number[];
}

/** Bounds of what is searched: beyond them a motor is none that a loop of 10 ms controls. */
const SHORTEST_SEC = 0.008;
const LONGEST_SEC = 5;
/** Longest delay that is looked for. */
const LONGEST_DELAY_SEC = 0.3;
const FIRST_DELAYS_SEC = [0, 0.01, 0.02, 0.04, 0.08, 0.16];
const FIRST_TIME_CONSTANTS = 16;
/** A delay must explain so much of what is missed without one, else it is taken for none. */
const TELLING_DELAY = 0.03;
const REFINEMENTS = 22;
/** Ticks that a motor must run out, in both directions together, to show its friction. */
const RUN_OUT_TICKS = 12;
/** A speed is measured over so many ticks, and within these times. */
const SPEED_TICKS = 4;
const SHORTEST_SPEED_SEC = 0.06;
const LONGEST_SPEED_SEC = 0.25;

/** Columns of the linear part: gain, gain times loss, and of each run the position and speed that it began with. */
const SHARED = 2;
const OF_A_RUN = 2;

/** A moment at which the encoder counted: then it says where the shaft is, better than between two ticks. */
interface Edge {
  readonly index: number;
  /** Ticks since the first one of the run, in its direction. */
  readonly moved: number;
}

interface Candidate {
  readonly timeConstantSec: number;
  readonly delaySec: number;
}

interface Solved extends Candidate {
  /** Sum of the squares of what is missed, ticks squared. */
  readonly cost: number;
  readonly parts: readonly number[];
}

/**
 * Least squares of a first-order-plus-delay model with Coulomb friction on the counts of an encoder, over the time from
 * the first tick to the end of the power. For a given delay and time constant the rest is linear, so that only these two
 * are searched (variable projection, G. H. Golub and V. Pereyra, SIAM J. Numer. Anal. 10, 1973). Position and speed at
 * the first tick are found with it: nothing has to be known of how the motor broke away. What is lost to friction and what
 * to the driver's dead band is told apart by how it runs out without power; where that is too short, all is friction. Undefined where no model fits. Pure.
 * @param tick revolutions in a tick
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

/** A tick came at any time since the sample before; a shaft that is fast is anywhere in its last tick. */
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

/** The best motor with this time constant and delay. */
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

/** What a motor of a tick a second per full power would have done since its first tick. */
interface Regressors {
  /** Ticks, and ticks a second, that the power accounts for. */
  readonly pushed: number;
  readonly pushedSpeed: number;
  /** Ticks that a power of 1 against the motor would have cost. */
  readonly rubbed: number;
  /** Ticks for each tick a second that it had at the first. */
  readonly ran: number;
}

/** Walks along a run from its first tick to the end of its power. */
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
      // The power of a sample was sent until then: what works now was sent a delay ago.
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

/** Of a run: ticks since its first one, and speed, when the power ended. */
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
 * Friction as a share of power, by how far it ran out; 0 where it ran out farther than without any. Undefined where it
 * ran out by too few ticks to tell.
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

/** Where the model has the shaft, ticks, at each sample; between its runs it stays as far off as it ended. */
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
    // Friction ends the motion: no farther than to where the speed is none.
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

/** Around each sample the stretch over which its speed is measured: as short as some ticks allow. */
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

/** Solves a positive definite system by Cholesky's decomposition; undefined where it is none. */
function solveSymmetric(matrix: readonly (readonly number[])[], right: readonly number[]): number[] | undefined {
  const size = right.length;
  // Of equal size on the diagonal, so that what is too small is so for every unit.
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
