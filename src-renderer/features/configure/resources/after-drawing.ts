import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue';

/**
 * Follows `source`, but only after the next frame, so that a typed key is drawn before everything that depends on it.
 * Follows at once if `mayWait` returns false.
 */
export function afterDrawing<T>(source: () => T, mayWait: (shown: T, next: T) => boolean): Readonly<ShallowRef<T>> {
  const shown = shallowRef(source()) as ShallowRef<T>;
  let frame = 0;
  let task: ReturnType<typeof setTimeout> | undefined;

  function cancel(): void {
    cancelAnimationFrame(frame);
    clearTimeout(task);
    frame = 0;
    task = undefined;
  }

  watch(source, () => {
    const next = source();
    if (!mayWait(shown.value, next)) {
      cancel();
      shown.value = next;
    } else if (frame === 0 && task === undefined) {
      frame = requestAnimationFrame(() => {
        frame = 0;
        task = setTimeout(() => {
          task = undefined;
          shown.value = source();
        });
      });
    }
  });
  onScopeDispose(cancel);
  return shown;
}
