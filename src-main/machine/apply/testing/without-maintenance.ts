import type { Clock } from '../../../base/clock.ts';
import type { ConfigurationOptions } from '../config-state.ts';
import { MaintenanceGate, type MaintenanceGateOptions } from '../../maintenance/maintenance-gate.ts';

/** Options for a configuration that never waits: no block names a sensor, or nobody asks it. */
export function withoutMaintenance(
  clock: Clock,
  readSensor: MaintenanceGateOptions['readSensor'] = () => Promise.resolve({}),
): Pick<ConfigurationOptions, 'gate' | 'deferralRecord' | 'applyLogLevels'> {
  return {
    gate: new MaintenanceGate({ clock, readSensor }),
    deferralRecord: { load: async () => undefined, save: async () => undefined },
    applyLogLevels: () => undefined,
  };
}
