/** The context that a run of the bench passes to every measurement. */
export interface BenchContext {
  /** Number of counted rounds. Each runs ours and the peer one after the other, so that a busy moment affects both. */
  readonly rounds: number;
  /** A folder of this run; removed at its end. */
  readonly scratchFolder: string;
  /** Shows the user the current step. */
  note(text: string): void;
}

/** One line of the table: ours against a peer of the same run. */
export interface Row {
  readonly name: string;
  /** The two figures of the ratio, and their unit. */
  readonly what: string;
  readonly unit: string;
  /** Medians of the rounds. */
  readonly ours: number;
  readonly peer: number;
  /** Median, lowest and highest of the ratios of each round. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  /** Undefined for a row that only informs. */
  readonly target: Target | undefined;
  /** Other figures of the same measurement. */
  readonly details: Readonly<Record<string, number | string>>;
}

export interface Target {
  readonly kind: 'at least' | 'at most';
  readonly value: number;
  /** The figure that the target is for: the ratio, or our own figure where users notice it directly. */
  readonly of?: 'ratio' | 'ours';
}

/** A measurement without figures: it is not possible on this computer, or it failed. */
export interface MissingRow {
  readonly name: string;
  readonly missing: 'skipped' | 'failed';
  readonly reason: string;
}

export type Outcome = Row | MissingRow;

export interface Measure {
  /** Its name on the command line. */
  readonly name: string;
  /** Whether it runs when no name is given. */
  readonly isDefault: boolean;
  run(context: BenchContext): Promise<readonly Outcome[]>;
}

/** Thrown where a measurement is not possible on this computer; the table shows the reason. */
export class CannotMeasure extends Error {}
