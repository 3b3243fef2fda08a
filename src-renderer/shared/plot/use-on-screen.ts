import { onScopeDispose, readonly, ref, watch, type Ref } from 'vue';

/** Whether an element is visible: in the viewport or just outside of it, and the window is not hidden. */
export function useOnScreen(element: () => Element | null | undefined): Readonly<Ref<boolean>> {
  const isSeen = ref(false);
  let isInView = false;
  const update = (): void => void (isSeen.value = isInView && document.visibilityState === 'visible');
  const observer = new IntersectionObserver(
    (entries) => {
      isInView = entries.at(-1)?.isIntersecting ?? false;
      update();
    },
    { rootMargin: '80px' },
  );
  watch(
    element,
    (now, before) => {
      if (before instanceof Element) observer.unobserve(before);
      if (now instanceof Element) observer.observe(now);
    },
    { immediate: true, flush: 'post' },
  );
  document.addEventListener('visibilitychange', update);
  onScopeDispose(() => {
    observer.disconnect();
    document.removeEventListener('visibilitychange', update);
  });
  return readonly(isSeen);
}
