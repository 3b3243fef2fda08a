import type { PlotBuffer } from '../../../../shared/plot/plot-buffer.ts';
import type { EventKind, HeaderLine } from './format.ts';

/** A channel of a recording with all its values. */
export interface RecordedChannel {
  /** `left.position`. */
  readonly name: string;
  /** Full name; '' if the file does not tell. */
  readonly resource: string;
  readonly unit: string;
  readonly buffer: PlotBuffer;
}

/** An event of a recording. */
export interface RecordedEvent {
  /** By the machine's clock, ms. */
  readonly at: number;
  /** `other` is one that this program does not know. */
  readonly kind: EventKind | 'other';
  readonly text: string;
  /** Short name; '' for none. */
  readonly resource: string;
  /** The new state of a resource; '' for other events. */
  readonly state: string;
}

/** Why a text is read only up to a line, or not at all. */
export interface RecordingProblem {
  /**
   * `none`: its first line is not that of a recording; `newer`: it is of a version that this program does not know;
   * `empty`; `broken`: a line is no line of a recording; `cut`: it ends within a line.
   */
  readonly kind: 'none' | 'newer' | 'empty' | 'broken' | 'cut';
  /** From 1. */
  readonly line: number;
  /** The start of that line, or the version. */
  readonly found: string;
}

/** What is in the file of a recording. Times are of the machine's clock, ms. */
export interface Recording {
  readonly header: HeaderLine;
  readonly from: number;
  readonly to: number;
  /** In the order of the file. */
  readonly channels: readonly RecordedChannel[];
  /** Sorted by time. */
  readonly events: readonly RecordedEvent[];
  /** Whether it was ended: without an end, the page or its program ended first. */
  readonly hasEnd: boolean;
  /** Values that are not shown because their times go backwards. */
  readonly leftOut: number;
  /** Why it is not whole; undefined if it is. */
  readonly problem: RecordingProblem | undefined;
}
