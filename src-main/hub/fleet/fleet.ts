import type { Clock } from '../../base/clock.ts';
import type { Store } from '../storage/store.ts';
import { Locations } from './locations.ts';
import { Machines } from './machines.ts';
import { Organizations } from './organizations.ts';
import { Parts } from './parts.ts';

/**
 * Everything that a hub manages: organizations contain locations, those machines, those parts. Checks no permissions.
 */
export class Fleet {
  readonly organizations: Organizations;
  readonly locations: Locations;
  readonly machines: Machines;
  readonly parts: Parts;

  constructor(store: Store, clock: Clock) {
    this.organizations = new Organizations(store, clock);
    this.locations = new Locations(store, clock);
    this.machines = new Machines(store, clock);
    this.parts = new Parts(store, clock);
  }
}
