import { onScopeDispose, type Ref } from 'vue';

/** Calls `then` when a pointer is pressed outside the element. */
export function onClickOutside(element: Readonly<Ref<HTMLElement | null>>, then: () => void): void {
  const listeners = new AbortController();
  window.addEventListener(
    'pointerdown',
    (event) => {
      if (event.target instanceof Node && element.value?.contains(event.target) === false) then();
    },
    { capture: true, signal: listeners.signal },
  );
  onScopeDispose(() => listeners.abort());
}
