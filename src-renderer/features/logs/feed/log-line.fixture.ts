import type { LogLine } from '../../../shared/machine/machine-view.ts';

/** A line as the machine sends it. */
export function logLine(seq: number, overrides: Partial<LogLine> = {}): LogLine {
  return {
    seq,
    at: 1_000 * seq,
    level: 'info',
    logger: 'core.web',
    message: `line ${seq}`,
    resource: '',
    repeats: 1,
    firstAt: 1_000 * seq,
    fields: '',
    caller: '',
    ...overrides,
  };
}
