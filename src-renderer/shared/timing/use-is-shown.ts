import { onActivated, onDeactivated, onScopeDispose, readonly, ref, type Ref } from 'vue';

/** Whether the component is on the screen: its page is open and the window is not hidden. */
export function useIsShown(): Readonly<Ref<boolean>> {
  let isActive = true;
  const isShown = ref(!document.hidden);
  const update = (): void => void (isShown.value = isActive && !document.hidden);
  const set = (value: boolean) => (): void => {
    isActive = value;
    update();
  };
  onActivated(set(true));
  onDeactivated(set(false));
  document.addEventListener('visibilitychange', update);
  onScopeDispose(() => document.removeEventListener('visibilitychange', update));
  return readonly(isShown);
}
