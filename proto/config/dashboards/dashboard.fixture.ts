import type { Dashboard, Tile } from '../../gen/core/dashboard/v1/dashboard.ts';

export function noteTile(id: string, text: string): Tile {
  return { id, width: 2, rows: 0, content: { $case: 'note', value: { text } } };
}

export function cardTile(id: string, resource: string): Tile {
  return { id, width: 2, rows: 0, content: { $case: 'card', value: { resource } } };
}

/** @param values of an encoder */
export function plotTile(id: string, ...values: string[]): Tile {
  const readings = values.map((value) => ({ resource: 'core:component:encoder/wheel', value }));
  return { id, width: 4, rows: 8, content: { $case: 'plot', value: { readings } } };
}

/** A dashboard for tests, with one tile of each kind unless others are given. */
export function dashboardOf(id: string, name: string, tiles?: Tile[]): Dashboard {
  const usual = [cardTile('card', 'core:component:motor/left'), plotTile('plot', 'position'), noteTile('note', 'Hi')];
  return { id, name, tiles: tiles ?? usual, revision: '' };
}
