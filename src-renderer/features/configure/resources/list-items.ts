import type { RouteLocationRaw } from 'vue-router';
import type { Package } from '../../../../proto/gen/core/status/v1/status.ts';
import type { Text } from '../../../shared/text.ts';
import { packageState } from '../packages/package-rows.ts';
import { resourceRoute } from './entry-address.ts';
import type { ResourceRow } from './resource-rows.ts';

/** A line of the list: a heading, a resource, or a page about the whole machine. */
export type ListItem =
  | { readonly kind: 'heading'; readonly key: string; readonly text: string }
  | { readonly kind: 'row'; readonly key: string; readonly row: ResourceRow; readonly to: RouteLocationRaw }
  | {
      readonly kind: 'page';
      readonly key: string;
      readonly text: string;
      /** A problem on that page; absent if there is none. */
      readonly trouble?: { readonly tone: 'warn' | 'bad'; readonly text: string } | undefined;
      readonly to: RouteLocationRaw;
    };

/** The rows under the headings of their groups, then the pages about the whole machine. */
export function listItems(
  rows: readonly ResourceRow[],
  packages: readonly Package[],
  hasPages: boolean,
  isJson: boolean,
  t: Text,
): ListItem[] {
  const items: ListItem[] = [];
  let group = '';
  for (const row of rows) {
    if (row.group !== group) {
      group = row.group;
      items.push({ kind: 'heading', key: group, text: t(`resources.kinds.${row.group}`) });
    }
    items.push({ kind: 'row', key: row.key, row, to: resourceRoute(row.address, isJson) });
  }
  if (!hasPages) return items;
  const query = isJson ? { query: { view: 'json' } } : {};
  return [
    ...items,
    { kind: 'heading', key: 'machine', text: t('resources.kinds.machine') },
    { kind: 'page', key: 'configure', text: t('resources.overview'), to: { name: 'configure', ...query } },
    {
      kind: 'page',
      key: 'configure-machine',
      text: t('resources.machineWide'),
      to: { name: 'configure-machine', ...query },
    },
    {
      kind: 'page',
      key: 'configure-packages',
      text: packages.length === 0 ? t('packages.title') : t('packages.titleWith', { count: packages.length }),
      trouble: troubleOf(packages, t),
      to: { name: 'configure-packages', ...query },
    },
  ];
}

function troubleOf(
  packages: readonly Package[],
  t: Text,
): { readonly tone: 'warn' | 'bad'; readonly text: string } | undefined {
  const count = (state: string): number => packages.filter((one) => packageState(one) === state).length;
  const failed = count('failed');
  if (failed > 0) return { tone: 'bad', text: t('packages.failed', { count: failed }) };
  const pending = count('pending');
  return pending > 0 ? { tone: 'warn', text: t('packages.pending', { count: pending }) } : undefined;
}

/** How many lines a key moves; undefined for a key that does not move. */
export function stepOf(key: string): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: 10,
    PageUp: -10,
    Home: -Infinity,
    End: Infinity,
  };
  return steps[key];
}

/** The index of the line that a step leads to. Skips headings and stops at the ends; -1 if there are no lines. */
export function itemAfter(items: readonly ListItem[], from: number, step: number): number {
  const lines = items.flatMap(({ kind }, index) => (kind === 'heading' ? [] : [index]));
  const at = lines.indexOf(from);
  return lines[Math.min(Math.max(at + step, 0), lines.length - 1)] ?? -1;
}
