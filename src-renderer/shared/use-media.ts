import { onScopeDispose, readonly, ref, type Ref } from 'vue';

/** A touch screen, or a window as narrow as that of a phone: `touch.css` makes everything that is pressed higher. */
export const touchQuery = '(pointer: coarse), (max-width: 600px)';
/** A window as narrow as that of a phone. */
export const phoneQuery = '(max-width: 600px)';

/** Whether a media query matches; follows its changes. */
export function useMedia(query: string): Readonly<Ref<boolean>> {
  const list = window.matchMedia(query);
  const holds = ref(list.matches);
  const update = (): void => void (holds.value = list.matches);
  list.addEventListener('change', update);
  onScopeDispose(() => list.removeEventListener('change', update));
  return readonly(holds);
}
