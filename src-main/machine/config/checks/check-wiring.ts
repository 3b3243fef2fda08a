import { nodeAt, type JsonNode } from '../../../../proto/config/text/json-text.ts';
import { clockProblems } from '../../models/wiring/pwm-clock.ts';
import { wiringProblems, type ResourceLookup } from '../../models/wiring/wiring.ts';
import { hasError } from '../problem-list.ts';
import type { ResourceEntry } from '../reading/read-resource.ts';
import { ResourceNames } from './resource-links.ts';

/**
 * Reports interrupts, analogs and simulated motors that a resource needs and its board does not have, and different
 * frequencies for one PWM chip. All are warnings: the board may be changed next. `root` is the document.
 */
export function checkWiring(entries: readonly ResourceEntry[], root: JsonNode): void {
  const names = new ResourceNames(entries.map(({ config }) => config));
  const find: ResourceLookup = (name, api) => {
    const found = names.find(name).filter((one) => one.api === api);
    const [only] = found;
    // Disabled resources and those with errors are reported elsewhere.
    return found.length === 1 && only !== undefined && !only.isDisabled && !hasError(only.problems) ? only : undefined;
  };
  const sound = entries.filter(({ config }) => !config.isDisabled && !hasError(config.problems));
  const all = sound.map(({ config }) => config);
  for (const { config, label, sink, attributesPointer } of sound) {
    const problems = [...wiringProblems(config, find), ...clockProblems(config, all, find)];
    for (const { pointer, severity, code, message } of problems) {
      const at = attributesPointer + pointer;
      sink.report({ pointer: at, severity, code, message: `${label}: ${message}`, found: nodeAt(root, at)?.value });
    }
  }
}
