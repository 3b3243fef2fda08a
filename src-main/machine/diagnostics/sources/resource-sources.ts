import type { ResourceState, StatusChanges } from '../../graph/state.ts';
import { Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { gauge, type AddSource } from '../source.ts';

const metrics = [gauge('state')];

/** As `core.status.v1.Resource.State` has them. */
export const stateCodes: Readonly<Record<ResourceState['kind'], number>> = {
  unconfigured: Resource_State.UNCONFIGURED,
  waiting: Resource_State.WAITING,
  configuring: Resource_State.CONFIGURING,
  ready: Resource_State.READY,
  failed: Resource_State.FAILED,
  removing: Resource_State.REMOVING,
  disabled: Resource_State.DISABLED,
};

/** A source for each resource, with its state. What nobody changes costs nothing: states are told, not asked for. */
export function followResources(
  add: AddSource,
  subscribe: (listener: (changes: StatusChanges) => void) => () => void,
): () => void {
  const added = new Map<string, { readonly remove: () => void; reading: readonly number[] }>();
  const end = subscribe(({ upserted, removed }) => {
    for (const name of removed) {
      added.get(name)?.remove();
      added.delete(name);
    }
    for (const { fullName, state } of upserted) {
      const reading: readonly number[] = [stateCodes[state.kind]];
      const known = added.get(fullName);
      if (known !== undefined) known.reading = reading;
      else {
        const entry = { reading };
        const source = { name: `resource.${fullName}`, metrics, read: () => entry.reading };
        added.set(fullName, Object.assign(entry, { remove: add(source) }));
      }
    }
  });
  return () => {
    end();
    for (const { remove } of added.values()) remove();
    added.clear();
  };
}
