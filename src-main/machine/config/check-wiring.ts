import { nodeAt, type JsonNode } from '../../../proto/config/json-text.ts';
import { wiringProblems, type ResourceLookup } from '../../../proto/config/models/wiring.ts';
import { hasError } from './problem-list.ts';
import type { ResourceEntry } from './read-resource.ts';
import { ResourceNames } from './resource-links.ts';

/**
 * Tells of interrupts, analogs and simulated motors that a resource counts on and its board does not have: warnings,
 * since the board may get them first. `root` is the document.
 */
export function checkWiring(entries: readonly ResourceEntry[], root: JsonNode): void {
  const names = new ResourceNames(entries.map(({ config }) => config));
  const find: ResourceLookup = (name, api) => {
    const found = names.find(name).filter((one) => one.api === api);
    const [only] = found;
    // What is disabled or wrong in itself is told of already.
    return found.length === 1 && only !== undefined && !only.isDisabled && !hasError(only.problems) ? only : undefined;
  };
  for (const { config, label, sink, attributesPointer } of entries) {
    if (config.isDisabled || hasError(config.problems)) continue;
    for (const { pointer, severity, code, message } of wiringProblems(config, find)) {
      const at = attributesPointer + pointer;
      sink.report({ pointer: at, severity, code, message: `${label}: ${message}`, found: nodeAt(root, at)?.value });
    }
  }
}
