import { defineStore } from 'pinia';
import type { PinStyle } from '../../../../proto/config/models/motor-pins.ts';
import type { KeptPins } from './wiring/driver-style.ts';

/** What a person chose for a driver, beside what is in the document. */
export interface DriverMemory {
  readonly chosen: PinStyle | undefined;
  /** Pins of the styles that are not chosen. */
  readonly kept: KeptPins;
  /** The enable pin that was taken away. */
  readonly enablePin: unknown;
}

/**
 * What was typed and is not in the document, by resource and path: it outlives
 * a look at another resource, not the page.
 */
export const useFormMemory = defineStore('form-memory', () => {
  /** Text that is no value yet. */
  const typed = new Map<string, string>();
  const drivers = new Map<string, DriverMemory>();
  return {
    typed,
    drivers,
    /** For places in a list that are now others'. */
    forgetUnder(prefix: string): void {
      for (const kept of [typed, drivers]) {
        for (const key of kept.keys()) if (key.startsWith(`${prefix}/`)) kept.delete(key);
      }
    },
  };
});
