import { dashboardJson } from '../../../../proto/config/dashboards/dashboard-json.ts';
import { COLUMNS, MAX_ROWS } from '../../../../proto/config/dashboards/dashboard-limits.ts';
import type { Dashboard, Tile } from '../../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { shortName } from '../../../shared/machine/machine-view.ts';
import { newId } from '../../../shared/new-id.ts';
import type { Text } from '../../../shared/text.ts';

/** Height of a row, px, as `--tile-row` in DashboardTile.vue. */
export const ROW_PX = 40;
/** A plot, and a tile whose height is chosen for the first time, begin with this. */
const firstRows = 8;

type Content = NonNullable<Tile['content']>;

/** A tile with the size that suits its content. */
export function newTile(content: Content): Tile {
  const rows = content.$case === 'plot' ? firstRows : 0;
  return { id: newId(), width: content.$case === 'note' ? 1 : 2, rows, content };
}

/** Moves a tile to another index. Returns the same tiles if nothing moves. */
export function withMoved(tiles: readonly Tile[], id: string, to: number): readonly Tile[] {
  const from = tiles.findIndex((tile) => tile.id === id);
  const tile = tiles[from];
  const place = Math.min(Math.max(to, 0), tiles.length - 1);
  if (tile === undefined || place === from) return tiles;
  const rest = tiles.filter((each) => each !== tile);
  return [...rest.slice(0, place), tile, ...rest.slice(place)];
}

/** Gives a tile another size, within what is allowed. Returns the same tiles if it has that size. */
export function withSize(
  tiles: readonly Tile[],
  id: string,
  size: { readonly width?: number; readonly rows?: number },
): readonly Tile[] {
  const tile = tiles.find((each) => each.id === id);
  if (tile === undefined) return tiles;
  const width = clamp(size.width ?? tile.width, 1, COLUMNS);
  const rows = clamp(size.rows ?? tile.rows, 0, MAX_ROWS);
  if (width === tile.width && rows === tile.rows) return tiles;
  return tiles.map((each) => (each === tile ? { ...tile, width, rows } : each));
}

/** The rows of a tile that becomes taller (1) or lower (-1) by a step; one without rows begins at a usual height. */
export function steppedRows({ rows }: Tile, step: 1 | -1): number {
  return rows === 0 ? firstRows : clamp(rows + step, 1, MAX_ROWS);
}

export function withContent(tiles: readonly Tile[], id: string, content: Content): readonly Tile[] {
  return tiles.map((each) => (each.id === id ? { ...each, content } : each));
}

export function withoutTile(tiles: readonly Tile[], id: string): readonly Tile[] {
  return tiles.filter((each) => each.id !== id);
}

/** Whether two dashboards have the same name and tiles. */
export function isSameContent(one: Dashboard, other: Dashboard): boolean {
  return JSON.stringify(dashboardJson(one)) === JSON.stringify(dashboardJson(other));
}

/** A name that none of the others has: `Bench copy`, `Bench copy 2`. */
export function freeName(wanted: string, others: readonly string[]): string {
  const taken = new Set(others.map((name) => name.toLowerCase()));
  for (let count = 1; ; count++) {
    const end = count === 1 ? '' : ` ${count}`;
    const name = `${[...wanted].slice(0, 60 - end.length).join('')}${end}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/** What a tile is called. */
export function tileName({ content }: Tile, t: Text): string {
  switch (content?.$case) {
    case 'card':
      return shortName(content.value.resource);
    case 'plot': {
      const names = new Set(content.value.readings.map(({ resource }) => shortName(resource)));
      return t('dashboards.tile.plot', { names: [...names].join(', ') });
    }
    default:
      return content?.value.text.split('\n', 1)[0]?.trim().slice(0, 40) || t('dashboards.tile.note');
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(Math.round(value), min), max);
}
