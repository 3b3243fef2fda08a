import type { Component } from 'vue';
import type { ServiceDefinition } from '../../link/client.ts';
import type { Glances } from './values/glance.ts';

/** What the filter bar tells apart, as it stands in the address (`show=`). */
export type CardKind = 'motors' | 'boards' | 'sensors' | 'others';

/**
 * How resources of an API are seen and moved. Each API has a folder here with a `card.ts`, whose default export this is.
 * That file is loaded with the first screen; what it names is loaded when it is first needed.
 */
export interface Card {
  /** `core:component:motor`. */
  readonly apis: readonly string[];
  readonly kind: CardKind;
  /** A card with a plot and a row of commands: it stands in the wide column. */
  readonly isWide: boolean;
  /** Takes `resource: Resource`, and is a ResourceCard around what the API can do. */
  readonly component: () => Promise<{ readonly default: Component }>;
  /** The generated definition of the API; undefined for an API that says nothing beyond what all say. */
  readonly service?: () => Promise<ServiceDefinition>;
  /** What Configure shows beside the form; undefined for nothing. */
  readonly glances?: () => Promise<Glances>;
  /** A free command (DoCommand) may set it in motion: it is stopped when the person who sent one may be gone. */
  readonly isMovedByCommands?: boolean;
}
