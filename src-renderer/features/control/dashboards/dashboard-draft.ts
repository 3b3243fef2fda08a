import { defineStore } from 'pinia';
import { computed, onScopeDispose, shallowRef } from 'vue';
import type { Dashboard, Tile } from '../../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { useDashboards } from './dashboards.ts';
import { newId } from '../../../shared/new-id.ts';
import { freeName, isSameContent } from './tiles.ts';

/**
 * The dashboard that is being edited. It outlives the screen: whoever comes back finds the edits as they were. Leaving
 * the page asks, as with the draft of Configure.
 */
export const useDashboardDraft = defineStore('dashboard-draft', () => {
  const dashboards = useDashboards();
  const draft = shallowRef<{ readonly base: Dashboard; readonly now: Dashboard }>();
  const isChanged = computed(() => draft.value !== undefined && !isSameContent(draft.value.base, draft.value.now));

  function onBeforeUnload(event: BeforeUnloadEvent): void {
    if (isChanged.value) event.preventDefault();
  }
  window.addEventListener('beforeunload', onBeforeUnload);
  onScopeDispose(() => window.removeEventListener('beforeunload', onBeforeUnload));

  function begin(dashboard: Dashboard): void {
    draft.value = { base: dashboard, now: dashboard };
  }

  return {
    /** As it is edited; undefined if none is. */
    now: computed(() => draft.value?.now),
    isChanged,
    /** How it differs from what was edited: somebody else changed or deleted it meanwhile. */
    conflict: computed((): 'changed' | 'deleted' | undefined => {
      if (draft.value === undefined || !dashboards.isKnown) return undefined;
      const { base, now } = draft.value;
      const stored = dashboards.byId(base.id);
      if (stored === undefined) return 'deleted';
      // The machine may report this page's own change before it answers it.
      return stored.revision === base.revision || isSameContent(stored, now) ? undefined : 'changed';
    }),
    begin,
    change(tiles: readonly Tile[]): void {
      const { value } = draft;
      if (value !== undefined && tiles !== value.now.tiles) {
        draft.value = { base: value.base, now: { ...value.now, tiles: [...tiles] } };
      }
    },
    discard: (): void => void (draft.value = undefined),
    /** Begins again with what the machine has now. */
    reload(): void {
      const stored = draft.value && dashboards.byId(draft.value.base.id);
      draft.value = stored && { base: stored, now: stored };
    },
    /** Stores the edits. Rejects if that is not possible; the edits are kept then. */
    async save(): Promise<void> {
      const { value } = draft;
      if (value === undefined) return;
      if (isChanged.value) await dashboards.put(value.now, value.base.revision);
      draft.value = undefined;
    },
    /** Stores the edits as another dashboard. @returns its id */
    async saveCopy(name: string): Promise<string | undefined> {
      const { value } = draft;
      if (value === undefined) return undefined;
      const names = dashboards.list.map((one) => one.name);
      const stored = await dashboards.put({ ...value.now, id: newId(), name: freeName(name, names) }, '');
      draft.value = undefined;
      return stored.id;
    },
  };
});
