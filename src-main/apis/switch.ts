import { defineApi, type ResourceApi } from './api.ts';
import { within } from './fields.ts';
import { methodsOf } from './method.ts';
import type { CallOptions, Resource } from './resource.ts';
import { SwitchServiceDefinition } from '../../proto/gen/core/component/switch/v1/switch.ts';

export interface SwitchPositions {
  readonly count: number;
  /** Names of the positions; empty if they have none. */
  readonly labels: readonly string[];
}

/** A switch of two or more positions, counted from 0. */
export interface Switch extends Resource {
  /** Throws `call.bad_argument` for a position it does not have. */
  setPosition(position: number, options?: CallOptions): Promise<void>;
  position(options?: CallOptions): Promise<number>;
  positions(options?: CallOptions): Promise<SwitchPositions>;
}

const { call, read } = methodsOf(SwitchServiceDefinition);

const uint32 = within(0, 2 ** 32 - 1);

/** @internal */
export const switchApi: ResourceApi<Switch, typeof SwitchServiceDefinition> = defineApi({
  api: 'core:component:switch',
  service: SwitchServiceDefinition,
  methods: {
    setPosition: call('setPosition', { position: uint32 }),
    position: read('getPosition', 'position'),
    positions: read('getNumberOfPositions', { count: 'numberOfPositions', labels: 'labels' }),
  },
});
