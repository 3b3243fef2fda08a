import { defineStore } from 'pinia';
import { computed, shallowRef, watch } from 'vue';
import { keepText, keptText } from '../kept-text.ts';
import { useMachineKey } from '../stores/machine-key.ts';
import { isSamePin, MAX_PINS, parsePins, withMovedPin, withoutPin, withPin, type Pin } from './pin-list.ts';

/** The values that the person pinned to the Overview screen of this machine; kept in this browser. */
export const usePins = defineStore('pins', () => {
  const pins = shallowRef<readonly Pin[]>([]);
  const key = useMachineKey('armature.pins');
  watch(key, (now) => (pins.value = now === undefined ? [] : parsePins(keptText(() => localStorage, now))), {
    immediate: true,
  });

  function set(next: readonly Pin[]): void {
    if (next === pins.value || key.value === undefined) return;
    pins.value = next;
    keepText(() => localStorage, key.value, next.length === 0 ? null : JSON.stringify(next));
  }

  const has = (pin: Pin): boolean => pins.value.some((other) => isSamePin(other, pin));
  return {
    pins,
    has,
    /** False until it is known which machine the page is about: until then nothing can be pinned. */
    isKnown: computed(() => key.value !== undefined),
    isFull: computed(() => pins.value.length >= MAX_PINS),
    /** Pins a value, or unpins it. */
    toggle: (pin: Pin): void => set(has(pin) ? withoutPin(pins.value, pin) : withPin(pins.value, pin)),
    remove: (pin: Pin): void => set(withoutPin(pins.value, pin)),
    /** @param by places; negative towards the start */
    move: (pin: Pin, by: number): void => set(withMovedPin(pins.value, pin, by)),
  };
});
