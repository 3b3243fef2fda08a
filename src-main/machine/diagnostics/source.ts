/** One number of a source. */
export interface MetricDescription {
  /** Dotted, within the source: `cpu.user`. */
  readonly name: string;
  /** `s`, `B`, `ms`, `%`; '' for a plain number. */
  readonly unit: string;
  /** A counter only rises until its owner restarts, and is shown as a rate. A gauge is shown as it is. */
  readonly kind: 'gauge' | 'counter';
  /** Values are kept to the nearest 1/steps of the unit; a whole number from 1. */
  readonly steps: number;
}

/** Values of a source at one moment: one number per metric, in its unit and in order. Undefined where unknown. */
export type Reading = readonly (number | undefined)[];

/**
 * Numbers that belong together and are read at once, registered by the code that owns them. The metrics do not change
 * while the source is registered: other metrics need another source.
 */
export interface DiagnosticSource {
  /** Unique among the sources of a machine, dotted: `system`, `module.acme`. */
  readonly name: string;
  readonly metrics: readonly MetricDescription[];
  /**
   * Called every second. A source that takes longer than the deadline, throws or returns undefined misses its row, and
   * is not called again before it has answered.
   */
  read(): Reading | undefined | Promise<Reading | undefined>;
}

/** Registers a source; returns a function that removes it. */
export type AddSource = (source: DiagnosticSource) => () => void;

/** A value that may rise and fall, read as it is. */
export function gauge(name: string, unit = '', steps = 1): MetricDescription {
  return { name, unit, kind: 'gauge', steps };
}

/** A value that only increases. */
export function counter(name: string, unit = '', steps = 1): MetricDescription {
  return { name, unit, kind: 'counter', steps };
}

/** `system.cpu.busy` */
export function fullMetricName(source: string, metric: string): string {
  return `${source}.${metric}`;
}
