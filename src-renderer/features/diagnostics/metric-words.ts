import { formatBytes, withUnit } from '../../shared/format-number.ts';
import { plotNumber } from '../../shared/plot/plot-channel.ts';
import type { Text } from '../../shared/text.ts';

/** Metrics that have a title; the others are shown under their own names. */
const named = {
  'system.cpu.busy': 'diagnostics.names.processor',
  'process.cpu.total': 'diagnostics.names.programProcessor',
  'system.memory.available': 'diagnostics.names.memoryAvailable',
  'process.memory.resident': 'diagnostics.names.programMemory',
  'process.event_loop.delay_max': 'diagnostics.names.eventLoop',
  'calls.requests': 'diagnostics.names.calls',
  'disk.free': 'diagnostics.names.diskFree',
} as const;

const moduleMetric = /^module\.(.+)\.(cpu|memory\.resident)$/;

/** The metrics shown by default, before those of modules. */
const defaults = [
  'system.cpu.busy',
  'process.cpu.total',
  'system.memory.available',
  'process.memory.resident',
  'process.event_loop.delay_max',
  'calls.requests',
] as const;
/** How many modules are shown by default; a person can add more. */
const MAX_MODULES = 3;

/** The metrics shown by default: the usual ones among `names`, and processor and memory of the first modules. */
export function defaultMetrics(names: readonly string[]): readonly string[] {
  const there = new Set(names);
  const modules = names.filter((name) => moduleMetric.exec(name)?.[2] === 'cpu').slice(0, MAX_MODULES);
  const ofThem = modules.flatMap((name) => [name, name.replace(/cpu$/, 'memory.resident')]);
  return [...defaults, ...ofThem].filter((name) => there.has(name));
}

/** The title of a metric; without one, its name. */
export function metricTitle(name: string, t: Text): string {
  if (isNamed(name)) return t(named[name]);
  const [, module = '', what] = moduleMetric.exec(name) ?? [];
  if (what === 'cpu') return t('diagnostics.names.moduleProcessor', { name: module });
  if (what !== undefined) return t('diagnostics.names.moduleMemory', { name: module });
  return name;
}

function isNamed(name: string): name is keyof typeof named {
  return Object.hasOwn(named, name);
}

export function metricValue(value: number, unit: string): string {
  if (unit === 'B') return formatBytes(value);
  if (unit === 'B/s') return `${formatBytes(value)}/s`;
  return unit === '/s' ? `${plotNumber(value)}/s` : withUnit(plotNumber(value), unit);
}

/** Whether a scale must begin at zero: percentages, delays and rates mislead otherwise. */
export function beginsAtZero(unit: string): boolean {
  return unit === '%' || unit === 'ms' || unit.endsWith('/s');
}
