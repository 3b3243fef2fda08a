import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dashboardProblem } from '../../../../proto/config/dashboards/check-dashboard.ts';
import { cardTile, dashboardOf, noteTile, plotTile } from '../../../../proto/config/dashboards/dashboard.fixture.ts';
import type { Tile } from '../../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { createTexts } from '../../../shared/text.ts';
import { placeAt, type Box } from './tile-places.ts';
import {
  freeName,
  isSameContent,
  newTile,
  steppedRows,
  tileName,
  withContent,
  withMoved,
  withoutTile,
  withSize,
} from './tiles.ts';

const tiles = ['a', 'b', 'c', 'd'].map((id) => noteTile(id, id));
const ids = (some: readonly Tile[]): string => some.map(({ id }) => id).join('');

describe('the order of tiles', () => {
  it('changes by moving one', () => {
    expect(ids(withMoved(tiles, 'a', 2))).toBe('bcad');
    expect(ids(withMoved(tiles, 'd', 0))).toBe('dabc');
    expect(ids(withMoved(tiles, 'b', 9))).toBe('acdb');
    expect(withMoved(tiles, 'b', 1)).toBe(tiles);
    expect(withMoved(tiles, 'none', 1)).toBe(tiles);
  });

  it('keeps every tile, once, and the others in their order', () => {
    fc.assert(
      fc.property(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: -9, max: 9 }), (id, to) => {
        const moved = withMoved(tiles, id, to);
        expect([...ids(moved)].sort().join('')).toBe('abcd');
        expect(ids(withoutTile(moved, id))).toBe(ids(withoutTile(tiles, id)));
        expect(moved[Math.min(Math.max(to, 0), 3)]?.id).toBe(id);
      }),
    );
  });
});

describe('the size of a tile', () => {
  it('stays within what is allowed, whatever is asked', () => {
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }));
    const steps = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'x'), width: number, rows: number }));
    fc.assert(
      fc.property(steps, (each) => {
        let now: readonly Tile[] = tiles;
        for (const { id, ...size } of each) now = withSize(now, id, size);
        expect(dashboardProblem(dashboardOf('a', 'Bench', [...now]))).toBe('');
        expect(ids(now)).toBe('abcd');
      }),
    );
  });

  it('changes in one direction alone, and not without need', () => {
    expect(withSize(tiles, 'b', { width: 3 })[1]).toMatchObject({ width: 3, rows: 0 });
    expect(withSize(tiles, 'b', { rows: 5 })[1]).toMatchObject({ width: 2, rows: 5 });
    expect(withSize(tiles, 'b', { width: 2 })).toBe(tiles);
  });

  it('that is as high as needed begins at a usual height, and never becomes so by steps', () => {
    expect(steppedRows(noteTile('a', ''), -1)).toBe(8);
    expect(steppedRows(plotTile('a', 'position'), 1)).toBe(9);
    expect(steppedRows({ ...noteTile('a', ''), rows: 1 }, -1)).toBe(1);
    expect(steppedRows({ ...noteTile('a', ''), rows: 24 }, 1)).toBe(24);
  });
});

describe('a drop', () => {
  // Two tiles in the first row, one that fills the second.
  const boxes: Box[] = [
    { left: 0, top: 0, right: 100, bottom: 100 },
    { left: 110, top: 0, right: 210, bottom: 60 },
    { left: 0, top: 110, right: 210, bottom: 200 },
  ];

  it('is beside the nearest tile', () => {
    expect(placeAt(boxes, 2, 20, 50)).toEqual({ index: 0, beside: 0, side: 'before' });
    expect(placeAt(boxes, 2, 90, 50)).toEqual({ index: 1, beside: 0, side: 'after' });
    expect(placeAt(boxes, 2, 120, 90)).toEqual({ index: 1, beside: 0, side: 'after' });
    expect(placeAt(boxes, 0, 200, 30)).toEqual({ index: 1, beside: 1, side: 'after' });
  });

  it('is above or below one that fills its row', () => {
    expect(placeAt(boxes, 0, 190, 120)).toEqual({ index: 1, beside: 2, side: 'before' });
    expect(placeAt(boxes, 0, 10, 900)).toEqual({ index: 2, beside: 2, side: 'after' });
    expect(placeAt([], 0, 10, 900)).toBeUndefined();
  });

  it('gives an index of the list, and leaves a tile that is dropped on itself', () => {
    const one = fc.integer({ min: -50, max: 300 });
    fc.assert(
      fc.property(one, one, fc.nat(2), (x, y, from) => {
        const place = placeAt(boxes, from, x, y);
        expect(place?.index).toBeGreaterThanOrEqual(0);
        expect(place?.index).toBeLessThan(3);
        if (place?.beside === from) expect(place.index).toBe(from);
      }),
    );
  });
});

describe('a tile', () => {
  const t = createTexts();

  it('is named by what it shows', () => {
    expect(tileName(cardTile('a', 'core:component:motor/left'), t)).toBe('left');
    expect(tileName(plotTile('a', 'position', 'speed'), t)).toBe('Plot of wheel');
    expect(tileName(noteTile('a', 'Heat first\nthen run'), t)).toBe('Heat first');
    expect(tileName(noteTile('a', ''), t)).toBe('Note');
  });

  it('that is new has an id of its own, and is allowed', () => {
    const some = [
      newTile({ $case: 'note', value: { text: '' } }),
      newTile({ $case: 'card', value: { resource: 'x' } }),
    ];
    expect(dashboardProblem(dashboardOf('a', 'Bench', some))).toBe('');
    expect(withContent(some, some[0]?.id ?? '', { $case: 'note', value: { text: 'new' } })[0]?.content).toEqual({
      $case: 'note',
      value: { text: 'new' },
    });
  });
});

it('two dashboards are compared by what they hold', () => {
  const one = dashboardOf('a', 'Bench');
  expect(isSameContent(one, { ...structuredClone(one), revision: 'other' })).toBe(true);
  expect(isSameContent(one, { ...one, tiles: one.tiles.slice(1) })).toBe(false);
});

it('a copy has a name that is free and allowed', () => {
  expect(freeName('Bench copy', ['Bench'])).toBe('Bench copy');
  expect(freeName('Bench copy', ['bench COPY', 'Bench copy 2'])).toBe('Bench copy 3');
  expect(freeName('x'.repeat(65), ['x'.repeat(60)])).toBe(`${'x'.repeat(58)} 2`);
});
