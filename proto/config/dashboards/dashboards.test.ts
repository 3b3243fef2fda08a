import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dashboard, type Tile } from '../../gen/core/dashboard/v1/dashboard.ts';
import { encodeMessage } from '../../message.ts';
import { dashboardProblem, sizeProblem } from './check-dashboard.ts';
import { cardTile, dashboardOf, noteTile, plotTile } from './dashboard.fixture.ts';
import { dashboardJson, readDashboardJson } from './dashboard-json.ts';
import { isSameName, MAX_DASHBOARD_BYTES, nameProblem } from './dashboard-limits.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const reading = fc.record({ resource: text, value: text });
const content: fc.Arbitrary<NonNullable<Tile['content']>> = fc.oneof(
  fc.record({ $case: fc.constant('card' as const), value: fc.record({ resource: text }) }),
  fc.record({
    $case: fc.constant('plot' as const),
    value: fc.record({ readings: fc.array(reading, { maxLength: 4 }) }),
  }),
  fc.record({ $case: fc.constant('note' as const), value: fc.record({ text }) }),
);
const tile: fc.Arbitrary<Tile> = fc.record({ id: text, width: fc.nat(9), rows: fc.nat(40), content });
const dashboard = fc.record({
  id: text,
  name: text,
  tiles: fc.array(tile, { maxLength: 5 }),
  revision: fc.constant(''),
});

describe('the stored form', () => {
  it('gives back every dashboard', () => {
    fc.assert(
      fc.property(dashboard, (one) => {
        const stored: unknown = JSON.parse(JSON.stringify(dashboardJson(one)));
        expect(readDashboardJson(stored)).toEqual(one);
      }),
    );
  });

  it('is refused, and throws nothing, where it is something else', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readDashboardJson({ id: 'a', name: 'b', tiles: [value] })).toBeUndefined();
      }),
    );
    const tiles = [{ id: 'a', width: 1, rows: 0, video: 'x' }];
    expect(readDashboardJson({ id: 'a', name: 'b', tiles })).toBeUndefined();
  });
});

describe('a dashboard', () => {
  it('of each kind of tile is allowed', () => {
    expect(dashboardProblem(dashboardOf('a-1', 'Bench'))).toBe('');
    expect(dashboardProblem(dashboardOf('a-1', 'Bench', []))).toBe('');
  });

  it.each([
    ['', /The name "" of the dashboard is not allowed: it has 1 to 60 characters/],
    ['x'.repeat(61), /1 to 60 characters/],
    ['two\nlines', /no line breaks/],
  ])('named %j is not', (name, message) => expect(dashboardProblem(dashboardOf('a', name))).toMatch(message));

  it('has a name of up to 60 characters, whatever they are', () => {
    expect(nameProblem('x'.repeat(60))).toBe('');
    expect(nameProblem('🛠'.repeat(60))).toBe('');
    expect(isSameName('Bench', 'bench')).toBe(true);
  });

  it.each<[Tile, string]>([
    [{ ...noteTile('a', ''), width: 0 }, 'its width is 0, and 1 to 4 columns are allowed'],
    [{ ...noteTile('a', ''), width: 5 }, 'its width is 5'],
    [{ ...noteTile('a', ''), rows: 25 }, 'its height is 25 rows, and 0 to 24 are allowed'],
    [noteTile('A b', ''), 'its id is "A b"'],
    [cardTile('a', ''), 'its card names no resource'],
    [plotTile('a'), 'its plot has 0 readings, and 1 to 8 are allowed'],
    [plotTile('a', ...Array.from({ length: 9 }, () => 'position')), 'its plot has 9 readings'],
    [plotTile('a', ''), 'names no resource or no value'],
    [{ ...noteTile('a', ''), content: undefined }, 'it has no card, plot or note'],
  ])('with a tile that is not allowed names it, what was found and what is allowed', (wrong, message) => {
    const problem = dashboardProblem(dashboardOf('a', 'Bench', [noteTile('first', ''), wrong]));
    expect(problem).toContain('Tile 2 of the dashboard "Bench" is not allowed');
    expect(problem).toContain(message);
  });

  it('has each tile once', () => {
    const problem = dashboardProblem(dashboardOf('a', 'Bench', [noteTile('one', ''), noteTile('one', '')]));
    expect(problem).toContain('its id "one" is that of an earlier tile');
  });

  it('has at most 100 tiles', () => {
    const tiles = Array.from({ length: 101 }, (_, index) => noteTile(`note-${index}`, ''));
    expect(dashboardProblem(dashboardOf('a', 'Bench', tiles))).toMatch(
      /"Bench" has 101 tiles; at most 100 are allowed/,
    );
    expect(dashboardProblem(dashboardOf('a', 'Bench', tiles.slice(1)))).toBe('');
  });

  it('has at most 64 KiB', () => {
    const small = dashboardOf('a', 'Bench', [noteTile('one', '')]);
    const room = MAX_DASHBOARD_BYTES - encodeMessage(Dashboard, small).length;
    const filled = (length: number): Dashboard => dashboardOf('a', 'Bench', [noteTile('one', 'x'.repeat(length))]);
    expect(sizeProblem(filled(room - 20))).toBe('');
    expect(sizeProblem(filled(room + 1))).toMatch(/"Bench" has \d+ bytes; at most 65536 are kept. Shorten its notes/);
  });
});
