import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue';
import type { WireKey } from '../driver-style.ts';

const keys: readonly WireKey[] = ['a', 'b', 'pwm', 'dir', 'en_high', 'en_low'];

/**
 * The wire whose field, or whose row of the table, the pointer is on or has the focus; the pointer counts first.
 * @param inside an element within the fieldset that has the fields
 * @param pointer that of the pins; the fields have it with their key
 */
export function useLitWire(inside: Readonly<Ref<HTMLElement | null>>, pointer: () => string) {
  const pointed = ref<WireKey>();
  const focused = ref<WireKey>();
  let around: HTMLElement | undefined;

  function keyAt({ target }: Event): WireKey | undefined {
    if (!(target instanceof Element)) return undefined;
    const row = target.closest<HTMLElement>('[data-wire]')?.dataset['wire'];
    const field = target.closest<HTMLElement>('[data-pointer]')?.dataset['pointer'];
    return keys.find((key) => key === row || field === `${pointer()}/${key}`);
  }

  const onPoint = (event: Event): void => void (pointed.value = keyAt(event));
  const onFocus = (event: Event): void => void (focused.value = keyAt(event));
  const onPointEnd = (): void => void (pointed.value = undefined);
  const onFocusEnd = (): void => void (focused.value = undefined);
  const listeners = [
    ['pointerover', onPoint],
    ['pointerleave', onPointEnd],
    ['focusin', onFocus],
    ['focusout', onFocusEnd],
  ] as const;

  onMounted(() => {
    around = inside.value?.closest('fieldset') ?? undefined;
    for (const [name, listener] of listeners) around?.addEventListener(name, listener);
  });
  onBeforeUnmount(() => {
    for (const [name, listener] of listeners) around?.removeEventListener(name, listener);
  });
  return { pointed, focused };
}
