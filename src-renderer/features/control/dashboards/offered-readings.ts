import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import type { Reading } from '../../../../proto/gen/core/dashboard/v1/dashboard.ts';

/** The values of an API that are always there; those of sensors and boards depend on the resource. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  'core:component:motor': ['speed', 'position', 'power'],
  'core:component:encoder': ['position'],
  'core:component:servo': ['position'],
  'core:component:power_sensor': ['volts', 'amperes', 'watts'],
};

/**
 * The readings of ready resources that can be plotted.
 * @param numbersOf names of the numbers that a sensor gives, as in a pin: `reading/celsius`
 * @param analogsOf names of the analogs of a board
 */
export function offeredReadings(
  resources: readonly Resource[],
  numbersOf: (name: string) => readonly string[],
  analogsOf: (name: string) => readonly string[],
): readonly Reading[] {
  return resources
    .filter(({ state }) => state === Resource_State.READY)
    .flatMap(({ name: resource, api }) => {
      const values =
        api === 'core:component:sensor'
          ? numbersOf(resource)
          : api === 'core:component:board'
            ? analogsOf(resource).map((analog) => `analog/${analog}`)
            : (fixed[api] ?? []);
      return values.map((value) => ({ resource, value }));
    });
}
