import { onScopeDispose, ref, watch, type ShallowRef } from 'vue';
import type { Attempt } from './apply-flow.ts';
import { toStored, type ConfigDraft, type StoredDraft } from './config-draft.ts';
import { DraftStorage } from './draft-storage.ts';

/** After the last key: typing is not slowed down by the storage. */
const pauseMs = 300;

/**
 * Keeps the draft over a reload and a crash; where nothing is changed, the text that the machine was given and may still
 * go back from. `nameOf` says under which name.
 */
export function useDraftKeeping(
  draft: ShallowRef<ConfigDraft | undefined>,
  openAttempt: () => Attempt | undefined,
  nameOf: () => string,
) {
  // Without https a browser may have no locks.
  const locks = (navigator as { locks?: LockManager }).locks;
  const storage = new DraftStorage(
    () => localStorage,
    () => sessionStorage,
    locks,
  );
  const isKept = ref(true);
  /** Whether the kept draft is this page's: another's is not removed. */
  let isStored = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function keep(): void {
    clearTimeout(timer);
    if (draft.value === undefined) return;
    const stored = toStored(draft.value) ?? sentText();
    if (stored === undefined && !isStored) return;
    isKept.value = storage.save(nameOf(), stored);
    isStored = stored !== undefined;
  }

  function sentText(): StoredDraft | undefined {
    const sent = openAttempt();
    return sent && { baseText: sent.base.text, baseRevision: sent.base.revision, text: sent.text, isSent: true };
  }

  watch([draft, openAttempt], () => {
    clearTimeout(timer);
    timer = setTimeout(keep, pauseMs);
  });
  const hide = ({ persisted }: PageTransitionEvent): void => {
    keep();
    // A page that may be shown again goes on with its draft.
    if (!persisted) storage.leave();
  };
  window.addEventListener('pagehide', hide);
  onScopeDispose(() => {
    clearTimeout(timer);
    window.removeEventListener('pagehide', hide);
  });

  return {
    isKept,
    /** Before this, nothing is loaded. */
    open: (): Promise<void> => storage.open(),
    load(): StoredDraft | undefined {
      const stored = storage.load(nameOf());
      isStored = stored !== undefined;
      return stored;
    },
  };
}
