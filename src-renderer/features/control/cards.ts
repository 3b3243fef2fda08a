import type { Card } from './card.ts';

const found = import.meta.glob<Card>('./*/card.ts', { eager: true, import: 'default' });
const cards = new Map(Object.values(found).flatMap((card) => card.apis.map((api) => [api, card] as const)));

/** For an API that has no card of its own, such as the API of a module. */
const otherCard: Card = {
  apis: [],
  kind: 'others',
  isWide: true,
  component: () => import('./dynamic/ServiceCard.vue'),
};

/** The card for resources of an API such as `core:component:motor`. */
export function cardFor(api: string): Card {
  return cards.get(api) ?? otherCard;
}
