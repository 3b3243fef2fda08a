import os from 'node:os';
import { canPin, LOAD_CPU, SERVER_CPU } from './pinned-process.ts';
import type { Outcome } from './measure.ts';
import { keepsTarget } from './statistics.ts';

/** Conditions on the computer that affect the figures. */
export interface Conditions {
  readonly startedAt: string;
  readonly node: string;
  readonly platform: string;
  readonly processors: string;
  readonly memoryGib: number;
  readonly pinning: string;
  /** Load average before the bench began; a high one means that other work disturbed it. */
  readonly loadAverageBefore: number;
  readonly rounds: number;
}

export function readConditions(rounds: number): Conditions {
  const cpus = os.cpus();
  return {
    startedAt: new Date().toISOString(),
    node: process.version,
    platform: `${os.platform()} ${os.release()} ${os.arch()}`,
    processors: `${cpus.length} x ${cpus[0]?.model.trim() ?? 'unknown'}`,
    memoryGib: Math.round(os.totalmem() / 2 ** 30),
    pinning: canPin ? `servers on processor ${SERVER_CPU}, load on ${LOAD_CPU}` : 'none: taskset is not available',
    loadAverageBefore: Number((os.loadavg()[0] ?? 0).toFixed(2)),
    rounds,
  };
}

function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function cells(outcome: Outcome): string[] {
  if ('missing' in outcome) return [outcome.name, `${outcome.missing}: ${outcome.reason}`, '', '', '', '', '', ''];
  const { name, what, unit, ours, peer, ratio, lowest, highest, target } = outcome;
  const isKept = keepsTarget(outcome);
  return [
    name,
    what,
    `${figure(ours)} ${unit}`,
    `${figure(peer)} ${unit}`,
    ratio.toFixed(2),
    `${lowest.toFixed(2)}-${highest.toFixed(2)}`,
    target === undefined ? '' : `${target.kind} ${target.value}${target.of === 'ours' ? ` ${unit}` : ''}`,
    isKept === undefined ? '' : isKept ? 'kept' : 'MISSED',
  ];
}

/** The rows as a table that is readable as text and as Markdown. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const heading = ['row', 'ours / peer', 'ours', 'peer', 'ratio', 'rounds', 'target', ''];
  const lines = [heading, ...outcomes.map(cells)];
  const widths = heading.map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)));
  const isRight = (column: number): boolean => column >= 2 && column <= 4;
  const pad = (text: string, column: number): string => {
    const width = widths[column] ?? 0;
    return isRight(column) ? text.padStart(width) : text.padEnd(width);
  };
  const rule = widths.map((width, column) => (isRight(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [lines[0] as string[], rule, ...lines.slice(1)]
    .map((line) => `| ${line.map((text, column) => pad(text, column)).join(' | ')} |`)
    .join('\n');
}

/** The additional figures, one line for each row that has any. */
export function detailsOf(outcomes: readonly Outcome[]): string {
  return outcomes
    .flatMap((outcome) => {
      if ('missing' in outcome) return [];
      const entries = Object.entries(outcome.details);
      const texts = entries.map(([key, value]) => `${key}: ${typeof value === 'number' ? figure(value) : value}`);
      return texts.length === 0 ? [] : [`${outcome.name}: ${texts.join('; ')}`];
    })
    .join('\n');
}
