import type { Component } from 'vue';
import BoardCard from './board/BoardCard.vue';
import GenericCard from './dynamic/GenericCard.vue';
import ServiceCard from './dynamic/ServiceCard.vue';
import MotorCard from './motor/MotorCard.vue';
import EncoderCard from './encoder/EncoderCard.vue';
import SensorCard from './sensor/SensorCard.vue';
import ServoCard from './servo/ServoCard.vue';

/** What the filter bar tells apart, as it stands in the address (`show=`). */
export type CardKind = 'motors' | 'boards' | 'sensors' | 'others';

/** How resources of one API are seen and moved. */
export interface CardChoice {
  /** Takes `resource: ResourceView`, and is a ResourceCard around what the API can do. */
  readonly card: Component;
  readonly kind: CardKind;
  /** A card with a plot and a row of commands: it stands in the wide column. */
  readonly isWide: boolean;
}

/** One line an API. Heavy cards belong into `defineAsyncComponent`. */
const cards: Readonly<Record<string, CardChoice>> = {
  'core:component:motor': { card: MotorCard, kind: 'motors', isWide: true },
  'core:component:servo': { card: ServoCard, kind: 'motors', isWide: false },
  'core:component:board': { card: BoardCard, kind: 'boards', isWide: false },
  'core:component:sensor': { card: SensorCard, kind: 'sensors', isWide: false },
  'core:component:encoder': { card: EncoderCard, kind: 'sensors', isWide: false },
  'core:component:generic': { card: GenericCard, kind: 'others', isWide: false },
  'core:service:generic': { card: GenericCard, kind: 'others', isWide: false },
};

/** For an API that has no card of its own: one of a module. */
const otherCard: CardChoice = { card: ServiceCard, kind: 'others', isWide: true };

/** The card for resources of an API such as `core:component:motor`. */
export function cardFor(api: string): CardChoice {
  return cards[api] ?? otherCard;
}
