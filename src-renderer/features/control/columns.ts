import type { CardChoice } from './cards.ts';
import type { ResourceView } from '../../shared/machine/machine-view.ts';

/** A card that is to be shown. */
export interface PlacedCard extends CardChoice {
  readonly resource: ResourceView;
}

/** How tall cards are against each other: one with a plot and commands, any other, one that says only why it is not ready. */
const heights = { wide: 5, other: 3, notReady: 1 } as const;

function heightOf({ isWide, resource }: PlacedCard): number {
  if (resource.state !== 'ready') return heights.notReady;
  return isWide ? heights.wide : heights.other;
}

/**
 * Wide cards stand in the first column. The others fill the second, and then
 * whichever is shorter, so that neither column is mostly empty. Their order is
 * kept within a column.
 */
export function inColumns(cards: readonly PlacedCard[]): readonly (readonly PlacedCard[])[] {
  const first: PlacedCard[] = cards.filter(({ isWide }) => isWide);
  const second: PlacedCard[] = [];
  let difference = first.reduce((sum, card) => sum + heightOf(card), 0);
  for (const card of cards.filter(({ isWide }) => !isWide)) {
    const toFirst = difference < 0;
    (toFirst ? first : second).push(card);
    difference += toFirst ? heightOf(card) : -heightOf(card);
  }
  return [first, second].filter(({ length }) => length > 0);
}
