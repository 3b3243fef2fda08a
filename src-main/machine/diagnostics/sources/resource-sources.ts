import { wireStates, type StatusChanges } from '../../graph/state.ts';
import { gauge, type AddSource } from '../source.ts';

const metrics = [gauge('state')];

/**
 * One source per resource, with its state. Unchanged states cost nothing, because changes are pushed and not polled.
 */
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
      const reading: readonly number[] = [wireStates[state.kind]];
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
