import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GetReadingsResponse } from '../../../../proto/gen/core/common/v1/common.ts';
import { BoardServiceDefinition } from '../../../../proto/gen/core/component/board/v1/board.ts';
import { EncoderServiceDefinition, PositionType } from '../../../../proto/gen/core/component/encoder/v1/encoder.ts';
import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { SensorServiceDefinition } from '../../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import type { MethodDefinition } from '../../../link/client.ts';
import type { WatchReading } from '../../../shared/machine/poll.ts';
import { resourceOf } from '../../../shared/machine/resource.fixture.ts';
import { createTexts } from '../../../shared/text.ts';
import { LiveValues } from '../../../shared/live/live-values.ts';
import { unitOf } from '../../../shared/live/units.ts';
import { mergedPolls, valuePolls } from '../../../shared/live/value-polls.ts';
import { numberLabel, numberWords } from '../../../shared/live/value-words.ts';
import { countedPins } from '../../../shared/readings/counted-pins.ts';
import { nodePolls } from './live-polls.ts';
import { liveWords, mainValue } from './live-words.ts';

const t = createTexts();
/** With usual spaces, for reading. */
const plain = (words: string): string => words.replaceAll('\u00a0', ' ');
const motor = MotorServiceDefinition.methods;
const left = resourceOf('left');
const wheel = resourceOf('wheel', { api: 'core:component:encoder' });
const climate = resourceOf('climate', { api: 'core:component:sensor' });
const bench = resourceOf('bench', { api: 'core:component:board' });
const components = [
  {
    name: 'bench',
    attributes: {
      digital_interrupts: [
        { name: 'enc-a', pin: '21' },
        { name: 'spare', pin: '30' },
      ],
    },
  },
  { name: 'left', attributes: { board: 'bench', pins: { a: '11', b: '13', pwm: '12' } } },
  { name: 'wheel', attributes: { board: 'bench', pins: { a: 'enc-a' } } },
];

let at = 0;
function answer(method: MethodDefinition, value: object | undefined, request: object = {}): WatchReading {
  at += 500;
  const id = `x ${method.name} ${JSON.stringify(request)}`;
  return { id, method, value, error: value === undefined ? 'unplugged' : '', machineAt: at, ageMs: 0, skipped: 0 };
}

function wordsOf(resource: Resource, ...answers: readonly WatchReading[]): string {
  const values = new LiveValues();
  for (const each of answers) values.take(resource.name, each);
  return plain(liveWords(resource, values.of(resource.name), countedPins('bench', components), t));
}

describe('what a node shows', () => {
  it('a motor: its speed while it moves, else that it is still', () => {
    const turning = [0, 0.5, 1].map((position) => answer(motor.getPosition, { position }));
    expect(wordsOf(left, answer(motor.isMoving, { isMoving: true }), ...turning)).toBe('60 rpm');
    expect(wordsOf(left, answer(motor.isMoving, { isMoving: true }))).toBe('moving');
    expect(wordsOf(left, ...turning, answer(motor.isMoving, { isMoving: false }))).toBe('still');
    expect(wordsOf(left)).toBe('ready');
  });

  it('an encoder: its position in its own unit', () => {
    const { getPosition } = EncoderServiceDefinition.methods;
    expect(wordsOf(wheel, answer(getPosition, { value: 1234, positionType: PositionType.TICKS_COUNT }))).toBe(
      '1,234 ticks',
    );
    expect(wordsOf(wheel, answer(getPosition, { value: -12.34, positionType: PositionType.ANGLE_DEGREES }))).toBe(
      '−12.3 °',
    );
  });

  it('a sensor: its first readings with their units', () => {
    const readings = GetReadingsResponse.fromPartial({ readings: { water_celsius: 21.456, b: 'on', c: 3 } });
    expect(wordsOf(climate, answer(SensorServiceDefinition.methods.getReadings, readings))).toBe('b on, c 3');
    const one = GetReadingsResponse.fromPartial({ readings: { celsius: 21.5 } });
    expect(wordsOf(climate, answer(SensorServiceDefinition.methods.getReadings, one))).toBe('21.5 °C');
  });

  it('a board: how many of the pins that its components use are high', () => {
    const { getGPIO } = BoardServiceDefinition.methods;
    const levels = [
      ['11', true],
      ['13', false],
      ['21', true],
    ] as const;
    const read = levels.map(([pin, high]) => answer(getGPIO, { high }, { pin }));
    expect(wordsOf(bench, ...read)).toBe('2 of 3 pins high');
  });

  it('a failed resource: why; another that is not ready: its state; no value: that it has none', () => {
    expect(wordsOf({ ...left, state: Resource_State.FAILED, reason: 'no such pin' })).toBe('no such pin');
    expect(wordsOf({ ...left, state: Resource_State.WAITING })).toBe('waiting');
    expect(wordsOf(left, answer(motor.isMoving, { isMoving: true }), answer(motor.getPosition, undefined))).toBe(
      'moving',
    );
    expect(wordsOf(left, answer(motor.isMoving, undefined), answer(motor.getPosition, undefined))).toBe('no value');
    expect(wordsOf(resourceOf('eye', { api: 'core:component:camera' }))).toBe('ready');
  });

  it('is one line of words for any answers', () => {
    const any = fc.array(
      fc.oneof(
        fc.boolean().map((isMoving) => answer(motor.isMoving, { isMoving })),
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((position) => answer(motor.getPosition, { position })),
        fc.constant(0).map(() => answer(motor.getPosition, undefined)),
      ),
    );
    fc.assert(fc.property(any, (answers) => /^[^\n]+$/.test(wordsOf(left, ...answers))));
  });
});

describe('a unit', () => {
  it('is read from the last word of a name, and from nothing else', () => {
    expect(unitOf('celsius')).toEqual({ name: '', unit: '°C' });
    expect(unitOf('water_bath_celsius')).toEqual({ name: 'water bath', unit: '°C' });
    expect(unitOf('humidity')).toEqual({ name: 'humidity', unit: '' });
    expect(unitOf('barn')).toEqual({ name: 'barn', unit: '' });
    expect(unitOf('constructor')).toEqual({ name: 'constructor', unit: '' });
  });
});

describe('polls', () => {
  const all = [bench, left, wheel, climate];

  it('ask only ready resources, for what is shown, and never for a pin that nothing uses or that has no level', () => {
    const asked = nodePolls([...all, { ...resourceOf('off'), state: Resource_State.FAILED }], all, components);
    expect(asked.map(({ resource, method }) => `${resource.split('/')[1]} ${method.name}`)).toEqual([
      'bench GetGPIO',
      'bench GetGPIO',
      'bench GetGPIO',
      'left IsMoving',
      'left GetPosition',
      'wheel GetPosition',
      'climate GetReadings',
    ]);
  });

  it('read a pin only while the components that use it are ready: otherwise reading would claim it', () => {
    const others = all.map((each) => (each === left ? { ...left, state: Resource_State.FAILED } : each));
    expect(nodePolls([bench], others, components).map(({ id }) => id)).toEqual([
      'core:component:board/bench GetGPIO {"pin":"21"}',
    ]);
  });

  it('of picture and pins are one where they ask for the same, at the higher pace and in a fixed order', () => {
    const pins = [
      { resource: left.name, value: 'speed' },
      { resource: left.name, value: 'power' },
      { resource: 'core:component:motor/gone', value: 'speed' },
    ];
    const one = mergedPolls([...nodePolls(all, all, components), ...valuePolls(pins, all, 4)]);
    expect(new Set(one.map(({ id }) => id)).size).toBe(one.length);
    const paces = one
      .filter(({ resource }) => resource === left.name)
      .map((each) => [each.method.name, each.frequencyHz]);
    expect(paces).toEqual([
      ['GetPosition', 4],
      ['IsMoving', 2],
      ['IsPowered', 4],
    ]);
    const other = mergedPolls([
      ...valuePolls([...pins].reverse(), all, 4),
      ...nodePolls([...all].reverse(), all, components),
    ]);
    expect(other.map(({ id }) => id)).toEqual(one.map(({ id }) => id));
  });
});

describe('a pinned value', () => {
  it('has a name, a number with its unit, and none where it is not known', () => {
    const values = new LiveValues();
    values.take(left.name, answer(motor.isPowered, { isOn: true, powerPct: -0.5 }));
    expect(numberLabel('power', t)).toBe('power');
    expect(numberLabel('reading/water_celsius', t)).toBe('water');
    expect(numberLabel('reading/celsius', t)).toBe('celsius');
    expect(plain(numberWords(left.api, 'power', values.of(left.name), t))).toBe('−0.50 of 1');
    expect(plain(numberWords(left.api, 'speed', values.of(left.name), t))).toBe('');
  });

  it('of a node is its main one', () => {
    const values = new LiveValues();
    expect(mainValue(left.api, values.of(left.name), [])).toBe('power');
    for (const position of [0, 1]) values.take(left.name, answer(motor.getPosition, { position }));
    expect(mainValue(left.api, values.of(left.name), [])).toBe('speed');
    expect(mainValue(climate.api, values.of(climate.name), [])).toBeUndefined();
    expect(mainValue(bench.api, values.of(bench.name), ['pot'])).toBe('analog/pot');
  });

  it('is a gap where a poll fails', () => {
    const values = new LiveValues();
    values.take(left.name, answer(motor.isPowered, { isOn: true, powerPct: 1 }));
    expect([...values.take(left.name, answer(motor.getPosition, undefined))]).toEqual([]);
    expect([...values.take(left.name, answer(motor.isPowered, undefined))]).toEqual([['power', undefined]]);
    values.take(left.name, answer(motor.isPowered, { isOn: true, powerPct: 1 }));
    expect(plain(numberWords(left.api, 'power', values.of(left.name), t))).toBe('1.00 of 1');
    values.keepOnly(new Set());
    expect(plain(numberWords(left.api, 'power', values.of(left.name), t))).toBe('');
  });
});
