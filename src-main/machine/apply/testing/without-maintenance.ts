import type { Clock } from '../../../base/clock.ts';
import type { ConfigurationParts } from '../config-state.ts';
import { MaintenanceGate, type MaintenanceGateParts } from '../../maintenance/maintenance-gate.ts';

/** What a configuration needs that never waits: no block names a sensor, or nobody asks it. */
export function withoutMaintenance(
  clock: Clock,
  readSensor: MaintenanceGateParts['readSensor'] = () => Promise.resolve({}),
): Pick<ConfigurationParts, 'gate' | 'deferralRecord' | 'applyLogLevels'> {
  return {
    gate: new MaintenanceGate({ clock, readSensor }),
    deferralRecord: { load: async () => undefined, save: async () => undefined },
    applyLogLevels: () => undefined,
  };
}
