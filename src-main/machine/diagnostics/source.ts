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

/** What a source says for one moment: a number a metric, in its unit, in order. Undefined where it is not known. */
export type Reading = readonly (number | undefined)[];

/**
 * Numbers that belong together and are read at once, registered by whoever owns them. Its metrics are the same for as
 * long as it is registered: what has others is another source.
 */
export interface DiagnosticSource {
  /** Unique among the sources of a machine, dotted: `system`, `module.acme`. */
  readonly name: string;
  readonly metrics: readonly MetricDescription[];
  /**
   * Called each second. One that takes longer than the deadline, throws or gives undefined misses its row, and is not
   * asked again before it has answered.
   */
  read(): Reading | undefined | Promise<Reading | undefined>;
}

/** What a source needs to be asked; returns a function that undoes it. */
export type AddSource = (source: DiagnosticSource) => () => void;

/** A value that may rise and fall, read as it is. */
export function gauge(name: string, unit = '', steps = 1): MetricDescription {
  return { name, unit, kind: 'gauge', steps };
}

/** A value that only rises. */
export function counter(name: string, unit = '', steps = 1): MetricDescription {
  return { name, unit, kind: 'counter', steps };
}

/** `system.cpu.busy` */
export function fullMetricName(source: string, metric: string): string {
  return `${source}.${metric}`;
}
