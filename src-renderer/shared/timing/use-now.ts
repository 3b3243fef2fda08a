import { onScopeDispose, readonly, ref, type Ref } from 'vue';

/** The wall-clock time, updated every `intervalMs`, for ages and countdowns. */
export function useNow(intervalMs: number): Readonly<Ref<number>> {
  const now = ref(Date.now());
  const timer = setInterval(() => (now.value = Date.now()), intervalMs);
  onScopeDispose(() => clearInterval(timer));
  return readonly(now);
}
