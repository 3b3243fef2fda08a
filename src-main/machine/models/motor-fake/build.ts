import type { BuildContext, BuiltResource } from '../model.ts';
import { noDrive } from '../motor/drive.ts';
import { OpenLoopMotor, type OpenLoopSettings } from '../motor/open-loop-motor.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import { DEFAULT_FAKE_MAX_RPM, type FakeMotorAttributes } from '../../../../proto/config/models/motor-fake.ts';

function settingsOf(attributes: FakeMotorAttributes): OpenLoopSettings {
  return {
    maxRpm: attributes.max_rpm ?? DEFAULT_FAKE_MAX_RPM,
    limits: { min: attributes.min_power_pct ?? 0, max: attributes.max_power_pct ?? 1 },
    slewPerSec: 0,
    freqHz: 0,
  };
}

/** Motor model `fake`: power and time are its motion, so its reckoned position is its true one. */
class FakeMotor extends OpenLoopMotor implements BuiltResource {
  async reconfigure(attributes: JsonObject): Promise<void> {
    await this.apply(settingsOf(attributes));
  }
}

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  const { name, clock, logger } = context;
  const settings = settingsOf(context.attributes);
  return new FakeMotor({ name, clock, logger, drive: noDrive, isPositionReported: true, ...settings });
}
