import { describe, expect, it } from 'vitest';
import { createTexts } from '../../../shared/text.ts';
import { chipOf, hardwareOf, lineOf } from './hardware.fixture.ts';
import { hardwareRows, hardwareSummary } from './hardware-rows.ts';
import { rowActions } from './row-actions.ts';

const t = createTexts();
const hardware = hardwareOf();
const keys = (attributes: unknown, filter = '', of = hardware): string[] =>
  hardwareRows(of, attributes, filter, t).map(({ key }) => key);

/** The uses of lines in the draft: `gpiochip0 1: pin a, interrupt b`. */
function uses(attributes: unknown, of = hardware): string[] {
  return hardwareRows(of, attributes, '', t).flatMap((row) => {
    if (row.kind !== 'line') return [];
    const { pin, interrupt } = row.use;
    const words = [pin && `pin ${pin.name}`, interrupt && `interrupt ${interrupt.name}`].filter(Boolean);
    return words.length === 0 ? [] : [`${row.chip.name} ${row.line.offset}: ${words.join(', ')}`];
  });
}

describe('the rows of the hardware list', () => {
  it('are chips with their lines, then PWM, SPI and I2C under headings', () => {
    expect(keys({})).toEqual([
      ...['/dev/gpiochip0', '/dev/gpiochip1'].flatMap((chip) => [
        chip,
        ...[0, 1, 2, 3].map((line) => `${chip} ${line}`),
      ]),
      'heading pwm',
      '/sys/class/pwm/pwmchip0',
      'heading spi',
      '/dev/spidev0.0',
      '/dev/spidev0.1',
      '/dev/spidev1.0',
      'heading i2c',
      '/dev/i2c-1',
    ]);
  });

  it('are found by all words: name, holder, state, pin of the header, name on the board', () => {
    const lines = [lineOf(0, { isUsed: true, holder: 'gpioset' }), lineOf(1, { headerPin: '11' }), lineOf(2)];
    const of = hardwareOf({ gpioChips: [chipOf(0, { lines }), chipOf(1)] });
    const attributes = { pins: [{ name: 'left', device_name: 'chip-1', line_number: 3 }] };
    expect(keys(attributes, 'GPIOSET', of)).toEqual(['/dev/gpiochip0', '/dev/gpiochip0 0']);
    expect(keys(attributes, 'held', of)).toEqual(['/dev/gpiochip0', '/dev/gpiochip0 0']);
    expect(keys(attributes, 'pin 11', of)).toEqual(['/dev/gpiochip0', '/dev/gpiochip0 1']);
    expect(keys(attributes, 'left', of)).toEqual(['/dev/gpiochip1', '/dev/gpiochip1 3']);
    expect(keys(attributes, 'free gpiochip0', of)).toEqual(['/dev/gpiochip0', '/dev/gpiochip0 1', '/dev/gpiochip0 2']);
    expect(keys(attributes, 'spi', of)).toEqual(['heading spi', '/dev/spidev0.0', '/dev/spidev0.1', '/dev/spidev1.0']);
    expect(keys(attributes, 'nothing', of)).toEqual([]);
  });

  it('show what the draft has on a line, however it names the line', () => {
    const attributes = {
      chip: 'chip-1',
      pins: [
        { name: 'by-path', device_name: '/dev/gpiochip0', line_number: 0 },
        { name: 'by-id', device_name: '/sys/devices/soc/gpiochip0', line_number: 1 },
        { name: 'plain', line_number: 2 },
        { name: 'C0L3' },
        { name: 'gone', device_name: 'chip-9', line_number: 0 },
        7,
      ],
      digital_interrupts: [
        { name: 'tick', pin: 'plain' },
        { name: 'offset', pin: '3' },
      ],
    };
    expect(uses(attributes)).toEqual([
      'gpiochip0 0: pin by-path',
      'gpiochip0 1: pin by-id',
      'gpiochip0 3: pin C0L3',
      'gpiochip1 2: pin plain, interrupt tick',
      'gpiochip1 3: interrupt offset',
    ]);
  });

  it('take a number for a pin of the header if the board has a header', () => {
    const lines = [lineOf(4, { headerPin: '7' }), lineOf(7)];
    const of = hardwareOf({
      header: { name: 'raspberry-pi', title: 'Raspberry Pi' },
      gpioChips: [chipOf(0, { lines }), chipOf(1)],
    });
    const interrupts = { digital_interrupts: [{ name: 'a', pin: '7' }] };
    expect(uses(interrupts, of)).toEqual(['gpiochip0 4: interrupt a']);
    expect(uses({ ...interrupts, header: 'none', chip: 'gpiochip0' }, of)).toEqual(['gpiochip0 7: interrupt a']);
  });

  it('offer actions, and lead to what exists already', () => {
    const attributes = { pins: [{ name: 'left', device_name: 'chip-0', line_number: 1 }] };
    const of = hardwareOf({ gpioChips: [chipOf(0), chipOf(1, { isUsable: false, lines: [] })] });
    const actions = new Map(
      hardwareRows(of, attributes, '', t).map((row) => [row.key, rowActions(row, of, attributes, t)]),
    );
    const labels = (key: string): unknown => actions.get(key)?.map(({ name, shows }) => [name, shows]);
    expect(labels('/dev/gpiochip0')).toEqual([['Use /dev/gpiochip0 as the chip of the board', []]]);
    expect(labels('/dev/gpiochip0 1')).toEqual([
      ['Go to left', ['pins', 0]],
      ['Add line 1 of gpiochip0 as a digital interrupt', []],
    ]);
    expect(labels('/dev/gpiochip1')).toEqual([]);
    expect(labels('heading spi')).toEqual([]);
  });
});

it('the hardware is summarized in one line', () => {
  expect(hardwareSummary(hardware, t)).toBe('2 GPIO chips · 8 lines · 0 in use · software PWM up to 5000 Hz');
  expect(hardwareSummary(hardwareOf({ gpioChips: [] }), t)).toBe('no GPIO');
});
