import { shallowReactive, watch, type Component } from 'vue';
import type { Card } from './card.ts';
import FailedCard from './FailedCard.vue';

/** Components that are loaded, or {@link FailedCard} where loading failed; kept for the life of the page. */
const components = shallowReactive(new Map<Card, Component>());

async function load(card: Card): Promise<void> {
  try {
    components.set(card, (await card.component()).default);
  } catch {
    components.set(card, FailedCard);
  }
}

/**
 * Loads the code of cards when they are first listed.
 * @returns a function that gives the component of a card; undefined while its code is loading
 */
export function useCardComponents(listed: () => readonly Card[]): (card: Card) => Component | undefined {
  watch(
    listed,
    (cards) => {
      for (const card of new Set(cards)) if (!components.has(card)) void load(card);
    },
    { immediate: true },
  );
  return (card) => components.get(card);
}
