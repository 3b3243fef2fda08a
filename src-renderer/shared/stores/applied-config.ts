import { parse } from 'jsonc-parser';
import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref } from 'vue';
import { followStream } from '../machine/follow-stream.ts';
import { useMachine } from '../machine/machine.ts';

/** A component or service as the machine's configuration has it. */
export interface AppliedEntry {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * What the machine's configuration says of its resources, live: for screens
 * that show more than the APIs tell, such as the names of a board's analogs.
 */
export const useAppliedConfig = defineStore('applied-config', () => {
  const machine = useMachine();
  const text = ref('');
  onScopeDispose(
    followStream({
      connection: machine.connection,
      open: (signal) => machine.config.watch(signal),
      onItem: (document) => (text.value = document.text),
      // What was known stays: the header says how the link is.
      onProblem: () => undefined,
    }),
  );
  const components = computed(() => componentsOf(text.value));
  return {
    components,
    /** By short name; undefined where the configuration does not have it. */
    component: (name: string): AppliedEntry | undefined => components.value.find((each) => each.name === name),
  };
});

/** The components of a text that are not disabled, as far as they can be read. */
export function componentsOf(text: string): readonly AppliedEntry[] {
  const root = rootOf(text);
  const list = isRecord(root) ? root['components'] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry['name'] !== 'string' || entry['disabled'] === true) return [];
    const { attributes } = entry;
    return [{ name: entry['name'], attributes: isRecord(attributes) ? attributes : {} }];
  });
}

/** Nearly every text is plain JSON, which the browser itself reads a hundred times faster. */
function rootOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parse(text, [], { allowTrailingComma: true });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
