import type { RouteLocationRaw } from 'vue-router';
import type { Text } from '../../../shared/text.ts';
import { resourceRoute } from './entry-address.ts';
import type { ResourceRow } from './resource-rows.ts';

/** A line of the list: a heading, a resource, or a page of the machine as a whole. */
export type ListItem =
  | { readonly kind: 'heading'; readonly key: string; readonly text: string }
  | { readonly kind: 'row'; readonly key: string; readonly row: ResourceRow; readonly to: RouteLocationRaw }
  | { readonly kind: 'page'; readonly key: string; readonly text: string; readonly to: RouteLocationRaw };

/** The rows under the headings of their groups, then what is of the machine as a whole. */
export function listItems(rows: readonly ResourceRow[], hasPages: boolean, isJson: boolean, t: Text): ListItem[] {
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
  ];
}

/** How far each key goes; undefined for one that does not move. */
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

/** The line that a step from another leads to: never a heading, at the ends the last one that is none; -1 of none. */
export function itemAfter(items: readonly ListItem[], from: number, step: number): number {
  const lines = items.flatMap(({ kind }, index) => (kind === 'heading' ? [] : [index]));
  const at = lines.indexOf(from);
  return lines[Math.min(Math.max(at + step, 0), lines.length - 1)] ?? -1;
}
