import { defineStore } from 'pinia';
import { computed } from 'vue';
import { useConfigDocument } from '../document/config-document.ts';
import type { DocumentEntry } from '../document/document-model.ts';
import { namesIn } from '../document/references.ts';
import { parseFullName } from '../../../../proto/config/names.ts';

/** How many entries refer to each resource: counted once per text, however many lists show it. */
export const useUsers = defineStore('resource-users', () => {
  const config = useConfigDocument();
  const counts = computed(() => {
    const holders = new Map<string, Set<string>>();
    for (const holder of config.model.entries) {
      for (const { text, api } of namesIn(holder)) {
        const full = parseFullName(text);
        const key = full === undefined ? `${api ?? ''}/${text}` : `${full.api}/${full.name}`;
        const known = holders.get(key);
        if (known === undefined) holders.set(key, new Set([holder.fullName]));
        else known.add(holder.fullName);
      }
    }
    return holders;
  });
  return {
    /** The number of users. Names without an API (in `depends_on`) count for every resource with that name. */
    of({ fullName, name }: DocumentEntry): number {
      return new Set([...(counts.value.get(fullName) ?? []), ...(counts.value.get(`/${name}`) ?? [])]).size;
    },
  };
});
