import { describe, expect, it } from 'vitest';
import { wiringProblems, type WiredResource } from './wiring.ts';

const resource = (name: string, kind: string, model: string, attributes: unknown): WiredResource => ({
  name,
  api: `core:component:${kind}`,
  model: `core:builtin:${model}`,
  attributes,
});
const bench = (attributes: object = {}): WiredResource =>
  resource('bench', 'board', 'fake', { fail_new: false, ...attributes });
const encoder = resource('enc', 'encoder', 'incremental', { board: 'bench', pins: { a: '16', b: 'enc-b' } });
const pins = { a: '11', b: '13', pwm: '15' };
const motor = (attributes: object = { encoder: 'enc', ticks_per_rotation: 200 }): WiredResource =>
  resource('left', 'motor', 'gpio', { board: 'bench', pins, ...attributes });

function problemsOf(one: WiredResource, ...others: readonly WiredResource[]): ReturnType<typeof wiringProblems> {
  return wiringProblems(one, (name, api) => others.find((other) => other.name === name && other.api === api));
}

describe('what a resource names of its board', () => {
  it('is an interrupt that a fake board has by name, by pin, or for a simulated encoder; else it is told at its pin', () => {
    expect(problemsOf(encoder, bench())).toMatchObject([
      {
        pointer: '/pins/a',
        severity: 'warning',
        message: 'Board "bench" has no digital interrupt "16"; it has none.',
        keepsFromReady: true,
        fix: { board: 'bench', list: 'digital_interrupts', item: { name: '16', pin: '16' } },
      },
      { pointer: '/pins/b' },
    ]);
    const named = bench({ digital_interrupts: [{ name: 'enc-b', pin: '18' }] });
    expect(problemsOf(encoder, named).map(({ message }) => message)).toEqual([
      'Board "bench" has no digital interrupt "16"; it has "enc-b", "18".',
    ]);
    const simulated = bench({
      digital_interrupts: [{ name: 'enc-b', pin: '18' }],
      simulated_motors: [{ pins, encoder_pins: { a: '16', b: '18' } }],
    });
    expect(problemsOf(encoder, simulated)).toEqual([]);
    const single = resource('one', 'encoder', 'single', { board: 'bench', pins: { i: '7' } });
    expect(problemsOf(single, simulated)).toMatchObject([{ pointer: '/pins/i' }]);
  });

  it('is an analog of a board that lists them', () => {
    const sensor = resource('pressure', 'sensor', 'analog', { board: 'bench', analog: 'pot' });
    expect(problemsOf(sensor, bench())).toMatchObject([{ pointer: '/analog', keepsFromReady: false }]);
    expect(problemsOf(sensor, bench({ analogs: [{ name: 'pot' }] }))).toEqual([]);
    expect(problemsOf(sensor, resource('bench', 'board', 'linux', { analogs: [] }))).toHaveLength(1);
  });

  it('is not judged where nothing is known: a line of the computer, a board of a module, no board at all', () => {
    expect(problemsOf(encoder, resource('bench', 'board', 'linux', {}))).toEqual([]);
    expect(problemsOf(encoder, { ...bench(), model: 'acme:board:one' })).toEqual([]);
    expect(problemsOf(encoder)).toEqual([]);
  });
});

describe('a motor on a fake board', () => {
  it('with an encoder there is told of pins that no simulated motor has, and what would turn it', () => {
    const named = bench({ digital_interrupts: [{ name: 'enc-b', pin: '18' }] });
    expect(problemsOf(motor(), named, encoder)).toMatchObject([
      {
        pointer: '/pins',
        message: 'Nothing turns: fake board "bench" simulates no motor on these pins.',
        keepsFromReady: false,
        fix: {
          list: 'simulated_motors',
          item: { pins, encoder_pins: { a: '16', b: '18' }, ticks_per_rotation: 200 },
        },
      },
    ]);
    const turned = bench({ simulated_motors: [{ pins, encoder_pins: { a: '16', b: '18' } }] });
    expect(problemsOf(motor(), turned, encoder)).toEqual([]);
  });

  it('without one needs no simulation, and with an encoder that turns by itself neither', () => {
    expect(problemsOf(motor({ max_rpm: 100 }), bench())).toEqual([]);
    expect(problemsOf(motor(), bench(), resource('enc', 'encoder', 'fake', {}))).toEqual([]);
  });
});
