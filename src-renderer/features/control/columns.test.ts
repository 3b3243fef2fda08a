import { describe, expect, it } from 'vitest';
import { Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import { shortName } from '../../shared/machine/machine-view.ts';
import { resourceOf } from '../../shared/machine/resource.fixture.ts';
import { inColumns, type PlacedCard } from './columns.ts';

function card(name: string, isWide = false, state: Resource_State = Resource_State.READY): PlacedCard {
  return { card: { isWide }, resource: resourceOf(name, { state }) };
}
const names = (cards: readonly PlacedCard[]): string =>
  inColumns(cards)
    .map((column) => column.map(({ resource }) => shortName(resource.name)).join(' '))
    .join(' | ');

describe('the columns of cards', () => {
  it('have wide cards in the first, others in the second', () => {
    expect(names([card('board'), card('left', true), card('climate')])).toBe('left | board climate');
  });

  it('are filled evenly where there are many of one kind', () => {
    expect(names(['a', 'b', 'c', 'd'].map((name) => card(name)))).toBe('b d | a c');
    expect(names([card('left', true), ...['a', 'b', 'c', 'd'].map((name) => card(name))])).toBe('left c | a b d');
  });

  it('are one where all cards belong in the same one', () => {
    expect(names([card('left', true), card('right', true)])).toBe('left right');
    expect(names([])).toBe('');
  });
});
