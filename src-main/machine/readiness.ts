import type { ResourceGraph } from './graph/resource-graph.ts';
import type { ResourceReadiness } from './apply/trial-terms.ts';
import type { Unready } from './apply/trial.ts';

/** Each resource that failed or waits, with its reason. */
export function failuresOf(graph: ResourceGraph): readonly Unready[] {
  return graph
    .statuses()
    .flatMap(({ fullName, state }) =>
      state.kind === 'failed' || state.kind === 'waiting' ? [{ name: fullName, reason: state.reason }] : [],
    );
}

/** What a configuration on trial waits for, read from the graph. */
export function readinessOf(graph: ResourceGraph): ResourceReadiness {
  return {
    ready: () => graph.statuses().flatMap(({ fullName, state }) => (state.kind === 'ready' ? [fullName] : [])),
    notReadyReason(fullName) {
      const state = graph.status(fullName)?.state;
      if (state === undefined) return 'it is not there';
      if (state.kind === 'ready') return undefined;
      return 'reason' in state ? state.reason : `it is ${state.kind}`;
    },
    subscribe: (listener) => graph.subscribe(() => listener()),
  };
}
