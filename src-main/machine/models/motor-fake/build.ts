import { FakeMotor, settingsOf, type TurnedEncoder } from './fake-motor.ts';
import { FakeEncoder } from '../encoder-fake/fake-encoder.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { noDrive } from '../motor/drive/drive.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { FakeMotorAttributes } from './schema.ts';

export async function build(context: BuildContext<FakeMotorAttributes>): Promise<BuiltResource> {
  const { name, attributes, clock, logger } = context;
  return new FakeMotor({ name, clock, logger, drive: noDrive, ...settingsOf(attributes) }, turnedBy(context));
}

function turnedBy(context: BuildContext<FakeMotorAttributes>): TurnedEncoder | undefined {
  const { encoder: encoderName = '', ticks_per_rotation: ticksPerRotation = 0 } = context.attributes;
  if (encoderName === '') return undefined;
  const encoder = context.dependency<Encoder>('core:component:encoder', encoderName);
  if (encoder instanceof FakeEncoder) return { encoder, ticksPerRotation };
  throw new ArmatureError(
    'config.invalid',
    `Motor "${context.name}": encoder "${encoderName}" is not of model fake, so a fake motor cannot turn it. Name one that is.`,
  );
}
