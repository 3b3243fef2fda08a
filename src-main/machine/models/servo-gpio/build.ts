import { GpioServo, type GpioServoSettings } from './gpio-servo.ts';
import { pulseRangeOf } from './servo-pulse.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { Board } from '../../../apis/board/types.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { GpioServoAttributes } from './schema.ts';

function attributesOf(raw: JsonObject): GpioServoAttributes {
  return raw as unknown as GpioServoAttributes;
}

function settingsOf(attributes: GpioServoAttributes): GpioServoSettings {
  return {
    range: pulseRangeOf(attributes),
    freqHz: attributes.frequency_hz,
    speedDegPerSec: attributes.speed_deg_per_sec,
  };
}

class ConfiguredServo extends GpioServo implements BuiltResource {
  /** A new starting position applies to the next start; it does not move the servo now. */
  async reconfigure(attributes: JsonObject): Promise<void> {
    await this.apply(settingsOf(attributesOf(attributes)));
  }
}

/** Servo model `gpio`: on a PWM pin of a board. */
export async function build(context: BuildContext<GpioServoAttributes>): Promise<BuiltResource> {
  const { name, attributes, clock, logger } = context;
  const board = context.dependency<Board>('core:component:board', attributes.board);
  const pin = board.gpioPin(attributes.pin);
  const servo = new ConfiguredServo({ name, pin, clock, logger, ...settingsOf(attributes) });
  await servo.start(attributes.starting_position_deg);
  return servo;
}
