import { computed } from 'vue';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { capturedResources } from '../../../../proto/config/capture/captured-methods.ts';
import type { EventType } from '../../../../proto/config/triggers/trigger.ts';
import { useDraftText } from '../../../shared/stores/draft-text.ts';
import { useText } from '../../../shared/text.ts';
import { capturedOptions } from './captured-options.ts';
import { draftTriggers, triggersKey, type DraftTrigger } from './draft-triggers.ts';
import { newEvent } from './new-trigger.ts';

/** The triggers in the draft of Configure, and all changes that this screen makes to it. */
export function useTriggerDraft() {
  const t = useText();
  const draft = useDraftText();
  const triggers = computed(() => draftTriggers(draft.root, draft.appliedRoot));
  const captured = computed(() => capturedResources(draft.root as JsonValue));

  return {
    triggers,
    captured,
    /** The captured methods as options. */
    methods: computed(() => capturedOptions(captured.value)),
    problems: computed(() => draft.problems),
    isReadOnly: computed(() => draft.whyClosed !== undefined),
    whyClosed: computed(() => draft.whyClosed),
    spelled: (trigger: DraftTrigger): string => draft.spelledAt(trigger.path),

    /** Sets a value of a trigger; undefined removes it. */
    write(trigger: DraftTrigger, keys: readonly (string | number)[], value: unknown): void {
      const what = keys.filter((key) => typeof key === 'string').join('.');
      draft.set([...trigger.path, ...keys], value, [trigger.name, what].filter((part) => part !== '').join(' · '));
    },
    /** Adds a trigger at the end. */
    add(name: string, type: EventType): void {
      const path = [triggersKey(draft.root), triggers.value.length];
      const event = newEvent(type, capturedOptions(captured.value)[0]?.value);
      const notifications = [{ type: 'webhook', value: '', seconds_between_notifications: DEFAULT_INTERVAL_SECONDS }];
      draft.set(path, { name, event, notifications }, t('triggers.step.added', { name }));
    },
    remove(trigger: DraftTrigger): void {
      // The last trigger goes together with the list, which would be empty.
      const path = triggers.value.length === 1 ? trigger.path.slice(0, 1) : trigger.path;
      draft.set(path, undefined, t('triggers.step.removed', { name: trigger.name }));
    },
  };
}

export type TriggerDraft = ReturnType<typeof useTriggerDraft>;

/** Minimum interval between notifications of a new target. */
export const DEFAULT_INTERVAL_SECONDS = 60;
