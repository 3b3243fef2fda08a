import type { Component } from 'vue';
import type { ServiceDefinition } from '../../link/client.ts';
import type { Glances } from './values/glance.ts';

/** A choice of the filter bar, as written in the address (`show=`). */
export type CardKind = 'motors' | 'boards' | 'sensors' | 'others';

/** The choices of the filter bar, in their order. */
export const shownKinds = ['all', 'motors', 'boards', 'sensors', 'others'] as const satisfies readonly (
  CardKind | 'all'
)[];
export type ShownKind = (typeof shownKinds)[number];

/**
 * The card of an API: how its resources are shown and controlled. Each API has a folder here with a `card.ts`, which
 * exports the card as default. `card.ts` is loaded with the first screen; what its functions import is loaded when it
 * is first needed.
 */
export interface Card {
  /** `core:component:motor`. */
  readonly apis: readonly string[];
  readonly kind: CardKind;
  /** Whether the card belongs in the wide column, because it has a plot and a row of commands. */
  readonly isWide: boolean;
  /** Takes the prop `resource: Resource` and draws a ResourceCard with the controls of the API inside. */
  readonly component: () => Promise<{ readonly default: Component }>;
  /** The generated definition of the API; undefined for an API without methods of its own. */
  readonly service?: () => Promise<ServiceDefinition>;
  /** The live values that Configure shows beside the form; undefined for none. */
  readonly glances?: () => Promise<Glances>;
  /** Whether DoCommand may set the resource in motion: then it is stopped when the person who sent one may be gone. */
  readonly isMovedByCommands?: boolean;
}
