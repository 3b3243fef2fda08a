import { inject, type InjectionKey } from 'vue';
import type { Presence, WatchPresenceResponse } from '../../../proto/gen/core/hub/v1/presence.ts';
import type { ChangeView, HubView, KeyView, LocationView, NewKey, PlacesView, RoleView } from './fleet-view.ts';
import type { DataCalls } from './data/data-calls.ts';
import type { DatasetCalls } from './data/dataset-calls.ts';
import type { InferenceCalls } from './data/inference-calls.ts';
import type { MachineConnection } from './machine.ts';
import type { ModelCalls } from './models-view.ts';
import type { RegistryCalls } from './registry-view.ts';
import type { ScriptCalls } from './training/script-calls.ts';
import type { TrainingCalls } from './training/training-calls.ts';
import type { TriggerCalls } from './triggers/trigger-calls.ts';

/**
 * The screens' interface to the fleet of the hub that this page came from. Calls
 * reject with an `Error` whose message is a sentence for people.
 */
export interface Fleet {
  /** The connection of the page to its hub; that to the machine may be another. */
  readonly connection: MachineConnection;
  /** The part that the page's address names; '' for the machine that the page came from. */
  readonly partId: string;
  /** The page came from a hub without a machine of its own. */
  readonly isHubAlone: boolean;
  readonly keys: KeyCalls;
  readonly registry: RegistryCalls;
  readonly models: ModelCalls;
  readonly scripts: ScriptCalls;
  readonly data: DataCalls;
  readonly datasets: DatasetCalls;
  readonly inference: InferenceCalls;
  readonly training: TrainingCalls;
  readonly triggers: TriggerCalls;
  /** All parts without their resources in the first message, then the parts that change. */
  watch(signal: AbortSignal): AsyncIterable<WatchPresenceResponse>;
  /** One part with its resources, now and on each change. */
  watchPart(partId: string, signal: AbortSignal): AsyncIterable<Presence>;
  places(): Promise<PlacesView>;
  /** Undefined if this program has no hub: it was started with `-hub=false`. */
  describe(): Promise<HubView | undefined>;
  /** The newest entries of a part's history, newest first. */
  latestChanges(partId: string, limit: number): Promise<readonly ChangeView[]>;
  /** @returns the ids of the machine and of its only part */
  addMachine(name: string, locationId: string): Promise<{ readonly machineId: string; readonly partId: string }>;
  /** '' keeps the name or the location. */
  updateMachine(machineId: string, name: string, locationId: string): Promise<void>;
  /** Deletes its history and its log too. */
  deleteMachine(machineId: string): Promise<void>;
  addLocation(organizationId: string, name: string): Promise<LocationView>;
  renameLocation(locationId: string, name: string): Promise<void>;
  /** Rejects if the location is not empty. */
  deleteLocation(locationId: string): Promise<void>;
}

export interface KeyCalls {
  list(organizationId: string): Promise<readonly KeyView[]>;
  create(name: string, role: RoleView, organizationId: string): Promise<NewKey>;
  /** Gives the key another secret; the previous secret is invalid from then on. */
  rotate(keyId: string): Promise<NewKey>;
  /** Takes effect at once: whatever uses the key is cut off. */
  revoke(keyId: string): Promise<void>;
  rename(keyId: string, name: string): Promise<void>;
}

export const fleetKey: InjectionKey<Fleet> = Symbol('fleet');

/** The fleet; only in components and stores of an app that provides it. */
export function useFleetCalls(): Fleet {
  const fleet = inject(fleetKey);
  if (fleet === undefined) throw new Error('No fleet is provided: main.ts provides it under fleetKey.');
  return fleet;
}
