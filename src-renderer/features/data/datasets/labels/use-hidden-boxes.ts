import { onScopeDispose, ref } from 'vue';
import { chordOf } from '../../../../shared/commands/chords.ts';
import { takesText, targetOf } from '../../../../shared/commands/typing.ts';
import { hideKey } from './label-keys.ts';

/** Whether boxes are hidden: while the key is held, or until a button shows them again. */
export function useHiddenBoxes() {
  const areHidden = ref(false);
  const listeners = new AbortController();
  const { signal } = listeners;
  window.addEventListener(
    'keydown',
    (event) => {
      if (chordOf(event) !== hideKey || takesText(targetOf(event))) return;
      areHidden.value = true;
      event.preventDefault();
    },
    { signal },
  );
  window.addEventListener('keyup', (event) => void (event.key.toUpperCase() === hideKey && (areHidden.value = false)), {
    signal,
  });
  window.addEventListener('blur', () => (areHidden.value = false), { signal });
  onScopeDispose(() => listeners.abort());
  return areHidden;
}
