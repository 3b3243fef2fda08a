import { defineStore } from 'pinia';
import { ref, shallowReactive } from 'vue';
import type { PinStyle } from '../../../../proto/config/models/motor-pins.ts';
import type { KeptPins } from './wiring/driver-style.ts';

/** The person's choices for a driver that are not in the document. */
export interface DriverMemory {
  readonly chosen: PinStyle | undefined;
  /** Pins of the styles that are not chosen. */
  readonly kept: KeptPins;
  /** The enable pin that was removed. */
  readonly enablePin: unknown;
}

/**
 * Typed input that is not in the document, by resource and path. It is kept
 * while another resource is shown, but not over a reload.
 */
export const useFormMemory = defineStore('form-memory', () => {
  /** Text that is no valid value yet. */
  const typed = new Map<string, string>();
  const drivers = new Map<string, DriverMemory>();
  /** Fields of new entries that the focus has left. */
  const left = shallowReactive(new Set<string>());
  /** Whether an apply was refused because of what is still needed. */
  const isRefused = ref(false);
  return {
    typed,
    drivers,
    left,
    isRefused,
    /** Forgets the input below a path whose list positions now belong to other items. */
    forgetUnder(prefix: string): void {
      for (const kept of [typed, drivers, left]) {
        for (const key of kept.keys()) if (key.startsWith(`${prefix}/`)) kept.delete(key);
      }
    },
  };
});
