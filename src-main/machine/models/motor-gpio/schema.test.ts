import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGpioMotor, gpioMotorSchema, type GpioMotorAttributes } from './schema.ts';
import { pinStyleOf, pinStyleProblems, type MotorPins } from '../../../../proto/config/models/motor-pins.ts';

const plain: GpioMotorAttributes = { board: 'bench', max_rpm: 100, pins: { pwm: '32', dir: '36' } };

/** `severity pointer code` of what a check finds. */
function found(changes: Partial<GpioMotorAttributes> & Record<string, unknown>): string[] {
  const attributes = { ...plain, ...changes };
  for (const key of Object.keys(changes))
    if (changes[key] === undefined) delete attributes[key as keyof typeof attributes];
  return checkGpioMotor(attributes).map(({ severity, pointer, code }) => `${severity} ${pointer} ${code}`);
}

describe('gpio motor, attribute by attribute', () => {
  it('board, pins: required by the schema; board names a board', () => {
    expect(gpioMotorSchema.required).toEqual(['board', 'pins']);
    expect(gpioMotorSchema.properties?.['board']?.['x-resource']).toBe('core:component:board');
    expect(gpioMotorSchema.properties?.['encoder']?.['x-resource']).toBe('core:component:encoder');
  });

  it('max_rpm: an integer, required and above 0 without an encoder, ignored with one', () => {
    expect(gpioMotorSchema.properties?.['max_rpm']?.type).toBe('integer');
    expect(found({})).toEqual([]);
    expect(found({ max_rpm: undefined })).toEqual(['error /max_rpm attribute.missing']);
    expect(found({ max_rpm: 0 })).toEqual(['error /max_rpm attribute.missing']);
    expect(found({ encoder: 'wheel', ticks_per_rotation: 200 })).toEqual(['warning /max_rpm attribute.ignored']);
  });

  it('encoder: ticks_per_rotation above 0 is then required; an empty name is no encoder', () => {
    expect(found({ encoder: 'wheel', max_rpm: undefined })).toEqual(['error /ticks_per_rotation attribute.missing']);
    expect(found({ encoder: 'wheel', max_rpm: undefined, ticks_per_rotation: 0 })).toEqual([
      'error /ticks_per_rotation attribute.missing',
    ]);
    expect(found({ encoder: 'wheel', max_rpm: undefined, ticks_per_rotation: 200 })).toEqual([]);
    expect(found({ encoder: '' })).toEqual([]);
    expect(found({ ticks_per_rotation: 200 })).toEqual(['warning /ticks_per_rotation attribute.ignored']);
  });

  it('max_power_pct: 0.06 to 1.0, 0 and absent are 1.0', () => {
    for (const value of [0.06, 0.5, 1]) expect(found({ max_power_pct: value })).toEqual([]);
    for (const value of [0.01, 0.0599]) {
      expect(found({ max_power_pct: value })).toEqual(['error /max_power_pct attribute.out_of_range']);
    }
    expect(found({ max_power_pct: 0 })).toEqual(['warning /max_power_pct attribute.default']);
    expect(gpioMotorSchema.properties?.['max_power_pct']).toMatchObject({ maximum: 1, default: 1 });
  });

  it('min_power_pct: 0 to 1, default 0, not above max_power_pct', () => {
    expect(gpioMotorSchema.properties?.['min_power_pct']).toMatchObject({ minimum: 0, maximum: 1, default: 0 });
    expect(found({ min_power_pct: 0.5, max_power_pct: 0.5 })).toEqual([]);
    expect(found({ min_power_pct: 0.6, max_power_pct: 0.5 })).toEqual(['error /min_power_pct attribute.conflict']);
  });

  it('pwm_freq, dir_flip: default 800 and false', () => {
    expect(gpioMotorSchema.properties?.['pwm_freq']).toMatchObject({ type: 'integer', default: 800, 'x-unit': 'Hz' });
    expect(gpioMotorSchema.properties?.['dir_flip']).toMatchObject({ type: 'boolean', default: false });
  });

  it('knows ramp_rate, and says that it is not used', () => {
    expect(found({ ramp_rate: 0.05 })).toEqual(['warning /ramp_rate attribute.ignored']);
  });

  it('control_parameters and position_tolerance_deg are for a motor with an encoder', () => {
    const both = { control_parameters: { p: 1, i: 2, d: 0 }, position_tolerance_deg: 1 };
    expect(found(both)).toEqual([
      'warning /position_tolerance_deg attribute.ignored',
      'warning /control_parameters attribute.ignored',
    ]);
    const encoded = { encoder: 'wheel', max_rpm: undefined };
    expect(found({ ...encoded, ...both, ticks_per_rotation: 720 })).toEqual([]);
    expect(found({ ...encoded, ...both, ticks_per_rotation: 200 })).toEqual([
      'warning /position_tolerance_deg attribute.out_of_range',
    ]);
  });

  it('a driver with PWM and DIR cannot brake; the others can', () => {
    const pinsOf = { brakes: { a: '1', b: '2' }, too: { a: '1', b: '2', pwm: '3' }, not: { pwm: '3', dir: '4' } };
    expect(found({ pins: pinsOf.brakes, stop_mode: 'brake' })).toEqual([]);
    expect(found({ pins: pinsOf.too, stop_mode: 'brake' })).toEqual([]);
    expect(found({ pins: pinsOf.not, stop_mode: 'brake' })).toEqual(['error /stop_mode attribute.conflict']);
    expect(found({ pins: pinsOf.not, stop_mode: 'coast' })).toEqual([]);
  });

  it('Valid pin combinations: exactly three styles; every other set of pins is an error', () => {
    fc.assert(
      fc.property(fc.subarray(['a', 'b', 'dir', 'pwm'] as const), (keys) => {
        const pins = Object.fromEntries(keys.map((key) => [key, `pin-${key}`])) as MotorPins;
        const styles: Record<string, string> = { 'dir,pwm': 'pwm-dir', 'a,b': 'in1-in2', 'a,b,pwm': 'in1-in2-pwm' };
        const style = styles[[...keys].toSorted().join(',')];
        expect(pinStyleOf(pins)).toBe(style);
        expect(pinStyleProblems(pins, '/pins').length === 0).toBe(style !== undefined);
      }),
    );
  });

  it('each wrong set of pins is named at its pin', () => {
    const at = (pins: MotorPins) => pinStyleProblems(pins, '/pins').map((problem) => problem.pointer);
    expect(at({ a: '1' })).toEqual(['/pins/a']);
    expect(at({ b: '1' })).toEqual(['/pins/b']);
    expect(at({ dir: '1' })).toEqual(['/pins/dir']);
    expect(at({ pwm: '1' })).toEqual(['/pins/pwm']);
    expect(at({})).toEqual(['/pins']);
    expect(at({ a: '1', b: '2', dir: '3' })).toEqual(['/pins/dir']);
    expect(at({ pwm: '1', dir: '2', en_high: '3', en_low: '4' })).toEqual(['/pins/en_low']);
    expect(at({ pwm: '1', dir: '1' })).toEqual(['/pins/pwm']);
  });
});
