import { parse } from 'jsonc-parser';
import { defineStore } from 'pinia';
import { computed, onScopeDispose, shallowRef } from 'vue';
import { followStream } from '../machine/rpc/follow-stream.ts';
import { useMachine } from '../machine/machine.ts';
import type { ConfigDocument } from '../machine/machine-view.ts';

/** A component of the machine's configuration. */
export interface AppliedEntry {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * The machine's configuration, live, for screens that show more than the APIs
 * tell, such as the names of a board's analogs.
 */
export const useAppliedConfig = defineStore('applied-config', () => {
  const machine = useMachine();
  const document = shallowRef<ConfigDocument>();
  onScopeDispose(
    followStream({
      connection: machine.connection,
      open: (signal) => machine.config.watch(signal),
      onItem: (next) => (document.value = next),
      // The last known configuration stays: the header shows the connection.
      onProblem: () => undefined,
    }),
  );
  const components = computed(() => componentsOf(document.value?.text ?? ''));
  return {
    /** The stored text and how far the machine has applied it; undefined before the first message. */
    document,
    components,
    /** What waits for the maintenance window. */
    waiting: computed(() => document.value?.result?.deferred),
    /** Whether the configuration has its own `auth` block. */
    hasAuth: computed(() => hasAuth(document.value?.text ?? '')),
    /** Whether updates wait for a maintenance window. */
    hasMaintenance: computed(() => hasMaintenance(document.value?.text ?? '')),
    /** By short name; undefined if the configuration does not have it. */
    component: (name: string): AppliedEntry | undefined => components.value.find((each) => each.name === name),
  };
});

/** The components of a text that are not disabled; invalid entries are left out. */
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

/** Whether the text has an `auth` block with handlers. */
function hasAuth(text: string): boolean {
  const root = rootOf(text);
  const auth = isRecord(root) ? root['auth'] : undefined;
  return isRecord(auth) && Array.isArray(auth['handlers']) && auth['handlers'].length > 0;
}

function hasMaintenance(text: string): boolean {
  const root = rootOf(text);
  return isRecord(root) && isRecord(root['maintenance']);
}

/** Nearly every text is plain JSON, which the browser parses a hundred times faster than `parse`. */
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
