import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGpioMotor, gpioMotorSchema, type GpioMotorAttributes } from './motor-gpio.ts';
import { pinStyleOf, pinStyleProblems, type MotorPins } from './motor-pins.ts';
import { checkFakeBoard, fakeBoardSchema } from './board-fake.ts';
import { checkFakeSensor } from './sensor-fake.ts';

const plain: GpioMotorAttributes = { board: 'bench', max_rpm: 100, pins: { pwm: '32', dir: '36' } };

/** `severity pointer code` of what a check finds. */
function found(changes: Partial<GpioMotorAttributes> & Record<string, unknown>): string[] {
  const attributes = { ...plain, ...changes };
  for (const key of Object.keys(changes))
    if (changes[key] === undefined) delete attributes[key as keyof typeof attributes];
  return checkGpioMotor(attributes).map(({ severity, pointer, code }) => `${severity} ${pointer} ${code}`);
}

describe('gpio motor, spec rows', () => {
  it('spec row "board", "pins": required by the schema; board names a board', () => {
    expect(gpioMotorSchema.required).toEqual(['board', 'pins']);
    expect(gpioMotorSchema.properties?.['board']?.['x-resource']).toBe('core:component:board');
    expect(gpioMotorSchema.properties?.['encoder']?.['x-resource']).toBe('core:component:encoder');
  });

  it('spec row "max_rpm": an integer, required and above 0 without an encoder, ignored with one', () => {
    expect(gpioMotorSchema.properties?.['max_rpm']?.type).toBe('integer');
    expect(found({})).toEqual([]);
    expect(found({ max_rpm: undefined })).toEqual(['error /max_rpm attribute.missing']);
    expect(found({ max_rpm: 0 })).toEqual(['error /max_rpm attribute.missing']);
    expect(found({ encoder: 'wheel', ticks_per_rotation: 200 })).toEqual(['warning /max_rpm attribute.ignored']);
  });

  it('spec row "encoder": ticks_per_rotation above 0 is then required (ruling 15); an empty name is no encoder', () => {
    expect(found({ encoder: 'wheel', max_rpm: undefined })).toEqual(['error /ticks_per_rotation attribute.missing']);
    expect(found({ encoder: 'wheel', max_rpm: undefined, ticks_per_rotation: 0 })).toEqual([
      'error /ticks_per_rotation attribute.missing',
    ]);
    expect(found({ encoder: 'wheel', max_rpm: undefined, ticks_per_rotation: 200 })).toEqual([]);
    expect(found({ encoder: '' })).toEqual([]);
    expect(found({ ticks_per_rotation: 200 })).toEqual(['warning /ticks_per_rotation attribute.ignored']);
  });

  it('spec row "max_power_pct": 0.06 to 1.0, 0 and absent are 1.0', () => {
    for (const value of [0.06, 0.5, 1]) expect(found({ max_power_pct: value })).toEqual([]);
    for (const value of [0.01, 0.0599]) {
      expect(found({ max_power_pct: value })).toEqual(['error /max_power_pct attribute.out_of_range']);
    }
    expect(found({ max_power_pct: 0 })).toEqual(['warning /max_power_pct attribute.default']);
    expect(gpioMotorSchema.properties?.['max_power_pct']).toMatchObject({ maximum: 1, default: 1 });
  });

  it('spec row "min_power_pct": 0 to 1, default 0, not above max_power_pct', () => {
    expect(gpioMotorSchema.properties?.['min_power_pct']).toMatchObject({ minimum: 0, maximum: 1, default: 0 });
    expect(found({ min_power_pct: 0.5, max_power_pct: 0.5 })).toEqual([]);
    expect(found({ min_power_pct: 0.6, max_power_pct: 0.5 })).toEqual(['error /min_power_pct attribute.conflict']);
  });

  it('spec rows "pwm_freq", "dir_flip": default 800 and false', () => {
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

  it('spec table "Valid pin combinations": exactly three styles; every other set of pins is an error', () => {
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

  it('behaviour 7.1, ruling 15: each wrong set of pins is named at its pin', () => {
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

describe('fake board, spec rows', () => {
  it('spec row "fail_new": absent is false; an analog needs its name alone; an interrupt name, pin', () => {
    expect(fakeBoardSchema.required).toBeUndefined();
    expect(fakeBoardSchema.properties?.['analogs']?.items?.required).toEqual(['name']);
    expect(fakeBoardSchema.properties?.['digital_interrupts']?.items?.required).toEqual(['name', 'pin']);
    expect(fakeBoardSchema.properties?.['analogs']?.items?.properties?.['average_over_ms']?.type).toBe('integer');
    expect(fakeBoardSchema.properties?.['analogs']?.items?.properties?.['samples_per_sec']?.type).toBe('integer');
  });

  it('two of a name, shared encoder pins and wrong driver pins are errors', () => {
    const analog = { name: 'x', pin: '0', chip_select: '0', spi_bus: '0' };
    const motor = { pins: { a: '1', b: '2' }, encoder_pins: { a: '3', b: '4' } };
    const problems = checkFakeBoard({
      fail_new: false,
      analogs: [analog, analog],
      simulated_motors: [motor, { ...motor, pins: { a: '1' } }],
    });
    expect(problems.map(({ pointer }) => pointer)).toEqual([
      '/analogs/1/name',
      '/simulated_motors/1/pins/a',
      '/simulated_motors/1/encoder_pins/a',
      '/simulated_motors/1/encoder_pins/b',
    ]);
    // The first, as the form numbers them.
    expect(problems[2]?.message).toBe('Pin "3" is already an encoder pin of simulated motor 1: choose another pin.');
  });
});

describe('simulated motor', () => {
  it('with more edges a second than the program can make is an error that says how many', () => {
    const motor = (extra: object) => ({
      fail_new: false,
      simulated_motors: [{ pins: { a: '1', b: '2' }, max_rpm: 100_000, ticks_per_rotation: 100_000, ...extra }],
    });
    expect(checkFakeBoard(motor({}))).toEqual([]);
    expect(checkFakeBoard(motor({ encoder_pins: { a: '3', b: '4' } }))).toMatchObject([
      {
        pointer: '/simulated_motors/0',
        code: 'attribute.out_of_range',
        message: expect.stringContaining('333333333') as string,
      },
    ]);
  });
});

describe('fake sensor', () => {
  it('a wrong wave is named where it is', () => {
    const problems = checkFakeSensor({
      readings: { 'a/b': [{ wave: 'square', period_ms: 0, min: 'x', top: 1 }], ok: { wave: 'sine' } },
    });
    expect(problems.map(({ pointer }) => pointer)).toEqual([
      '/readings/a~1b/0/wave',
      '/readings/a~1b/0/period_ms',
      '/readings/a~1b/0/min',
      '/readings/a~1b/0/top',
    ]);
    expect(problems.map(({ message }) => message)).toEqual([
      '"wave" is "square"; allowed are sine, ramp, toggle.',
      '"period_ms" is 0; allowed is a number above 0.',
      '"min" of a wave is "x"; allowed is a number.',
      'A wave has no "top": remove it, or use wave, period_ms, min or max.',
    ]);
  });
});
