import { defineStore } from 'pinia';
import { computed } from 'vue';
import type { Problem } from '../../../shared/machine/machine-view.ts';
import { graphSignature, type DependencyGraph } from '../../../shared/picture/dependency-graph.ts';
import { useMachineStatus } from '../../../shared/stores/machine-status.ts';
import { useConfigDocument } from '../document/config-document.ts';
import type { DocumentEntry } from '../document/document-model.ts';
import { dependencyGraph } from '../picture/draft-graph.ts';
import { addressesOf, entryAt } from './entry-address.ts';
import { resourceRows, type ResourceRow } from './resource-rows.ts';

/** The draft combined with the state of the machine: for the list, the picture and the column beside the form. */
export const useResources = defineStore('configure-resources', () => {
  const config = useConfigDocument();
  const status = useMachineStatus();

  const rows = computed(() =>
    resourceRows({
      model: config.model,
      removed: config.removedEntries,
      live: status.resources,
      modules: status.modules,
      remotes: status.remotes,
      problems: config.problems,
      changeOf: config.changeOf,
    }),
  );
  const rowsByKey = computed(() => new Map(rows.value.map((row) => [row.key, row])));
  const addresses = computed(() => addressesOf(config.model));
  /** Stays the same object while the dependencies stay the same, because drawing it is slow. */
  const graph = computed<DependencyGraph>((before) => {
    const next = dependencyGraph(config.model, status.resources, (name) => config.changeOf(name) !== undefined);
    return before !== undefined && graphSignature(before) === graphSignature(next) ? before : next;
  });

  return {
    rows,
    graph,
    /** By full name, or by the key of a row. */
    rowOf: (key: string): ResourceRow | undefined => rowsByKey.value.get(key),
    /** The row at an address: an entry of the draft, else a removed one, else one that only the machine has. */
    rowAt(address: string): ResourceRow | undefined {
      const entry = entryAt(config.model, address);
      if (entry !== undefined) return rowsByKey.value.get(entry.fullName) ?? rowsByKey.value.get(entry.pointer);
      return rows.value.find((row) => row.address === address || row.name === address);
    },
    addressOf: (entry: DocumentEntry): string => addresses.value.get(entry) ?? entry.pointer,
    /** The problem of an entry to show first: an error before a warning, then the first in the text. */
    problemIn(entry: DocumentEntry): Problem | undefined {
      const problems = config.problemsUnder(entry.pointer);
      return problems.find(({ severity }) => severity === 'error') ?? problems[0];
    },
  };
});
