/** What a run of the bench gives to every measurement. */
export interface BenchContext {
  /** Rounds that count. Each runs ours and the peer one after the other, so that a busy moment meets both. */
  readonly rounds: number;
  /** A folder of this run; removed at its end. */
  readonly scratchFolder: string;
  /** Tells the person who waits what is being done. */
  note(text: string): void;
}

/** One line of the table: ours against a peer of the same run. */
export interface Row {
  readonly name: string;
  /** What is divided by what, and the unit of the two figures. */
  readonly what: string;
  readonly unit: string;
  /** Medians of the rounds. */
  readonly ours: number;
  readonly peer: number;
  /** Median, lowest and highest of the rounds' own ratios. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  /** Undefined for a line that only informs. */
  readonly target: Target | undefined;
  /** Other figures of the same measurement, as they came. */
  readonly details: Readonly<Record<string, number | string>>;
}

export interface Target {
  readonly kind: 'at least' | 'at most';
  readonly value: number;
  /** What must keep it: the ratio, or our own figure where a person meets that one. */
  readonly of?: 'ratio' | 'ours';
}

/** A measurement without figures: it cannot be made on this computer, or it went wrong. */
export interface MissingRow {
  readonly name: string;
  readonly missing: 'skipped' | 'failed';
  readonly reason: string;
}

export type Outcome = Row | MissingRow;

export interface Measure {
  /** Word that chooses it on the command line. */
  readonly name: string;
  /** Whether it runs when nothing is chosen. */
  readonly isDefault: boolean;
  run(context: BenchContext): Promise<readonly Outcome[]>;
}

/** Thrown where a measurement cannot be made on this computer: the table says why. */
export class CannotMeasure extends Error {}
