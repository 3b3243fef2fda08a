import { FakeMotor, settingsOf, type TurnedEncoder } from './fake-motor.ts';
import { FakeEncoder } from '../encoder-fake/fake-encoder.ts';
import type { BuildContext, BuiltResource } from '../model.ts';
import { noDrive } from '../motor/drive.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { FakeMotorAttributes } from '../../../../proto/config/models/motor-fake.ts';

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  const { name, clock, logger } = context;
  const attributes: FakeMotorAttributes = context.attributes;
  return new FakeMotor(
    { name, clock, logger, drive: noDrive, ...settingsOf(attributes) },
    turnedBy(context, attributes),
  );
}

function turnedBy(context: BuildContext<JsonObject>, attributes: FakeMotorAttributes): TurnedEncoder | undefined {
  const { encoder: encoderName = '', ticks_per_rotation: ticksPerRotation = 0 } = attributes;
  if (encoderName === '') return undefined;
  const encoder = context.dependency<Encoder>('core:component:encoder', encoderName);
  if (encoder instanceof FakeEncoder) return { encoder, ticksPerRotation };
  throw new ArmatureError(
    'config.invalid',
    `Motor "${context.name}": encoder "${encoderName}" is not of model fake, so a fake motor cannot turn it. Name one that is.`,
  );
}
