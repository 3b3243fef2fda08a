import { onScopeDispose, ref, watch, type Ref } from 'vue';
import type { Size } from './box-geometry.ts';

/** Follows the size of an element, in screen pixels. */
export function useElementSize(element: () => Element | null): Readonly<Ref<Size>> {
  const size = ref<Size>({ width: 0, height: 0 });
  const observer = new ResizeObserver(([entry]) => {
    if (entry !== undefined) size.value = { width: entry.contentRect.width, height: entry.contentRect.height };
  });
  watch(
    element,
    (next) => {
      observer.disconnect();
      if (next !== null) observer.observe(next);
    },
    { flush: 'post', immediate: true },
  );
  onScopeDispose(() => observer.disconnect());
  return size;
}
