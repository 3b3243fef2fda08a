import type { LogLine } from '../../shared/machine/machine-view.ts';

/** A line with a number of its own, for the list. */
export interface NumberedLine {
  readonly number: number;
  readonly line: LogLine;
}

/**
 * The lines on the screen and, while paused, those behind it. Both are
 * bounded; what is let go is counted, so that the page can say so.
 */
export interface LogBuffer {
  readonly shown: readonly NumberedLine[];
  /** Lines that came while paused. */
  readonly held: readonly NumberedLine[];
  readonly isPaused: boolean;
  /** Oldest lines let go of to stay within the limit. */
  readonly dropped: number;
  readonly nextNumber: number;
}

/** Lines that are kept, shown and held together no more than twice this. */
export const keptLines = 2000;

export const emptyBuffer: LogBuffer = { shown: [], held: [], isPaused: false, dropped: 0, nextNumber: 1 };

/**
 * Adds lines at the end, behind the screen while paused. A stream that was
 * opened again begins with lines that are here already: they are left out.
 */
export function added(buffer: LogBuffer, received: readonly LogLine[]): LogBuffer {
  const last = (buffer.held.at(-1) ?? buffer.shown.at(-1))?.line;
  const lines = last === undefined ? received : received.filter(({ seq, at }) => seq > last.seq || at > last.at);
  const numbered = lines.map((line, index) => ({ number: buffer.nextNumber + index, line }));
  const nextNumber = buffer.nextNumber + lines.length;
  if (buffer.isPaused) {
    const held = [...buffer.held, ...numbered];
    return {
      ...buffer,
      nextNumber,
      held: held.slice(-keptLines),
      dropped: buffer.dropped + Math.max(held.length - keptLines, 0),
    };
  }
  return { ...buffer, nextNumber, ...cut([...buffer.shown, ...numbered], buffer.dropped) };
}

export function paused(buffer: LogBuffer): LogBuffer {
  return { ...buffer, isPaused: true };
}

/** Shows what came while paused. */
export function resumed(buffer: LogBuffer): LogBuffer {
  return { ...buffer, isPaused: false, held: [], ...cut([...buffer.shown, ...buffer.held], buffer.dropped) };
}

function cut(lines: readonly NumberedLine[], dropped: number): Pick<LogBuffer, 'shown' | 'dropped'> {
  return { shown: lines.slice(-keptLines), dropped: dropped + Math.max(lines.length - keptLines, 0) };
}

/** Lines that never came: the machine let them go because this page was too slow. */
export function missed(buffer: LogBuffer, count: number): LogBuffer {
  return { ...buffer, dropped: buffer.dropped + count };
}
