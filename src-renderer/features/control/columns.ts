import { type Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import type { Card } from './card.ts';

/** A card with the resource that it shows. */
export interface PlacedCard {
  readonly card: Pick<Card, 'isWide'>;
  readonly resource: Resource;
}

/** Relative heights of cards; a card whose resource is not ready shows only the reason. */
const heights = { wide: 5, other: 3, notReady: 1 } as const;

function heightOf({ card, resource }: PlacedCard): number {
  if (resource.state !== Resource_State.READY) return heights.notReady;
  return card.isWide ? heights.wide : heights.other;
}

/**
 * Puts the wide cards in the first column. The others go to the second column, or to the first while that is shorter,
 * so that neither column is mostly empty. Cards keep their order within a column.
 */
export function inColumns<C extends PlacedCard>(cards: readonly C[]): readonly (readonly C[])[] {
  const first = cards.filter(({ card }) => card.isWide);
  const second: C[] = [];
  let difference = first.reduce((sum, each) => sum + heightOf(each), 0);
  for (const each of cards.filter(({ card }) => !card.isWide)) {
    const toFirst = difference < 0;
    (toFirst ? first : second).push(each);
    difference += toFirst ? heightOf(each) : -heightOf(each);
  }
  return [first, second].filter(({ length }) => length > 0);
}
