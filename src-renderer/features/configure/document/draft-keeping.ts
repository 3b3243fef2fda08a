import { onScopeDispose, ref, watch, type ShallowRef } from 'vue';
import type { Attempt } from './apply-flow.ts';
import { toStored, type ConfigDraft, type StoredDraft } from './config-draft.ts';
import { DraftStorage } from './draft-storage.ts';

/** Waits this long after the last key, so that storing does not slow typing down. */
const pauseMs = 300;

/**
 * Stores the draft so that it survives a reload and a crash. If the draft has no changes, stores the text that was sent
 * to the machine while the machine may still roll it back. `nameOf` gives the storage name.
 */
export function useDraftKeeping(
  draft: ShallowRef<ConfigDraft | undefined>,
  openAttempt: () => Attempt | undefined,
  nameOf: () => string,
) {
  // Browsers may offer no locks to pages without https.
  const locks = (navigator as { locks?: LockManager }).locks;
  const storage = new DraftStorage(
    () => localStorage,
    () => sessionStorage,
    locks,
  );
  const isKept = ref(true);
  /** Whether this page loaded or stored the kept draft: it does not remove the draft of another page. */
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
    // A page that the browser may show again keeps its draft.
    if (!persisted) storage.leave();
  };
  window.addEventListener('pagehide', hide);
  onScopeDispose(() => {
    clearTimeout(timer);
    window.removeEventListener('pagehide', hide);
  });

  return {
    isKept,
    /** Must end before `load` finds anything. */
    open: (): Promise<void> => storage.open(),
    load(): StoredDraft | undefined {
      const stored = storage.load(nameOf());
      isStored = stored !== undefined;
      return stored;
    },
  };
}
