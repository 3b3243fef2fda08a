import type { Dashboard, Reading, Tile } from '../../gen/core/dashboard/v1/dashboard.ts';

/** A dashboard as it is stored: JSON that people can read. */
export interface DashboardJson {
  readonly id: string;
  readonly name: string;
  readonly tiles: readonly TileJson[];
}

type TileJson = { readonly id: string; readonly width: number; readonly rows: number } & (
  { readonly card: string } | { readonly plot: readonly Reading[] } | { readonly note: string }
);

/** The form that is stored; the same content gives the same JSON. */
export function dashboardJson({ id, name, tiles }: Dashboard): DashboardJson {
  return { id, name, tiles: tiles.flatMap(tileJson) };
}

function tileJson({ id, width, rows, content }: Tile): readonly TileJson[] {
  const tile = { id, width, rows };
  switch (content?.$case) {
    case 'card':
      return [{ ...tile, card: content.value.resource }];
    case 'plot':
      return [{ ...tile, plot: content.value.readings.map(({ resource, value }) => ({ resource, value })) }];
    case 'note':
      return [{ ...tile, note: content.value.text }];
    case undefined:
      return [];
  }
}

/** Reads the stored form, without a revision; undefined if it is none. Says nothing about limits. */
export function readDashboardJson(value: unknown): Dashboard | undefined {
  const { id, name, tiles } = fieldsOf(value);
  if (typeof id !== 'string' || typeof name !== 'string' || !Array.isArray(tiles)) return undefined;
  const read = tiles.map(readTile);
  return read.every((tile) => tile !== undefined) ? { id, name, tiles: read, revision: '' } : undefined;
}

function readTile(value: unknown): Tile | undefined {
  const { id, width, rows, card, plot, note } = fieldsOf(value);
  if (typeof id !== 'string' || !isCount(width) || !isCount(rows)) return undefined;
  const tile = { id, width, rows };
  if (typeof card === 'string') return { ...tile, content: { $case: 'card', value: { resource: card } } };
  if (typeof note === 'string') return { ...tile, content: { $case: 'note', value: { text: note } } };
  if (!Array.isArray(plot)) return undefined;
  const readings = plot.map(readReading);
  if (!readings.every((reading) => reading !== undefined)) return undefined;
  return { ...tile, content: { $case: 'plot', value: { readings } } };
}

function readReading(entry: unknown): Reading | undefined {
  const { resource, value } = fieldsOf(entry);
  return typeof resource === 'string' && typeof value === 'string' ? { resource, value } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
