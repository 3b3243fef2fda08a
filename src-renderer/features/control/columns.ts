import { type Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import type { Card } from './card.ts';

/** A card that is to be shown. */
export interface PlacedCard {
  readonly card: Pick<Card, 'isWide'>;
  readonly resource: Resource;
}

/** How tall cards are against each other: one with a plot and commands, any other, one that says only why it is not ready. */
const heights = { wide: 5, other: 3, notReady: 1 } as const;

function heightOf({ card, resource }: PlacedCard): number {
  if (resource.state !== Resource_State.READY) return heights.notReady;
  return card.isWide ? heights.wide : heights.other;
}

/**
 * Wide cards stand in the first column. The others fill the second, and then
 * whichever is shorter, so that neither column is mostly empty. Their order is
 * kept within a column.
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
