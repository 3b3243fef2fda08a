import { describe, expect, it } from 'vitest';
import { checkFakeBoard, model } from './schema.ts';

const { schema } = model;

describe('fake board, attribute by attribute', () => {
  it('fail_new: absent is false; an analog needs its name alone; an interrupt name, pin', () => {
    expect(schema.required).toBeUndefined();
    expect(schema.properties?.['analogs']?.items?.required).toEqual(['name']);
    expect(schema.properties?.['digital_interrupts']?.items?.required).toEqual(['name', 'pin']);
    expect(schema.properties?.['analogs']?.items?.properties?.['average_over_ms']?.type).toBe('integer');
    expect(schema.properties?.['analogs']?.items?.properties?.['samples_per_sec']?.type).toBe('integer');
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
    // "1" is the first motor, as the form numbers them.
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
