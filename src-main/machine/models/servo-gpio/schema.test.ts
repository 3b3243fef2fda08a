import { describe, expect, it } from 'vitest';
import { checkGpioServo, highestServoHz, type GpioServoAttributes } from './schema.ts';

const found = (attributes: Partial<GpioServoAttributes>): string[] =>
  checkGpioServo({ board: 'b', pin: '1', ...attributes }).map(({ severity, pointer }) => `${severity} ${pointer}`);

describe('attributes of a gpio servo', () => {
  it('are fine where only board and pin are given, and with those of a data sheet', () => {
    expect(found({})).toEqual([]);
    expect(
      found({ frequency_hz: 50, min_width_us: 600, max_width_us: 2_400, max_angle_deg: 270, pwm_resolution: 4_096 }),
    ).toEqual([]);
  });

  it('refuse ranges without room, and a starting position out of them', () => {
    expect(found({ min_angle_deg: 180 })).toEqual(['error /min_angle_deg']);
    expect(found({ min_width_us: 1_500, max_width_us: 1_500 })).toEqual(['error /min_width_us']);
    expect(found({ min_angle_deg: 10, starting_position_deg: 5 })).toEqual(['error /starting_position_deg']);
  });

  it('warn of a frequency that leaves no gap between the longest pulses', () => {
    expect(highestServoHz(2_500)).toBe(392);
    expect(highestServoHz(1_000)).toBe(450);
    expect(found({ frequency_hz: 400 })).toEqual(['warning /frequency_hz']);
    expect(found({ frequency_hz: 392 })).toEqual([]);
  });

  it('refuse a resolution in which all angles are one pulse', () => {
    expect(found({ frequency_hz: 50, pwm_resolution: 8 })).toEqual(['error /pwm_resolution']);
    expect(found({ frequency_hz: 50, pwm_resolution: 256 })).toEqual([]);
  });
});
