import { describe, expect, it } from 'vitest';
import { clockProblems } from './pwm-clock.ts';
import type { WiredResource } from './wiring.ts';

const resource = (name: string, kind: string, model: string, attributes: unknown): WiredResource => ({
  name,
  api: `core:component:${kind}`,
  model: `core:builtin:${model}`,
  attributes,
});
const board = (chip: string, attributes: object = {}): WiredResource =>
  resource('hat', 'board', 'linux', {
    pins: ['s0', 's1', 's2'].map((name, pwm_id) => ({ name, pin: `p${pwm_id}`, pwm_chip_sysfs_dir: chip, pwm_id })),
    ...attributes,
  });
const servo = (name: string, pin: string, attributes: object = {}): WiredResource =>
  resource(name, 'servo', 'gpio', { board: 'hat', pin, ...attributes });
const motor = (name: string, pins: object, attributes: object = {}): WiredResource =>
  resource(name, 'motor', 'gpio', { board: 'hat', pins, ...attributes });

function messages(...all: readonly WiredResource[]): string[] {
  const find = (name: string, api: string) => all.find((one) => one.name === name && one.api === api);
  return all.flatMap((one) => clockProblems(one, all, find).map(({ pointer, message }) => `${pointer} ${message}`));
}

describe('frequencies on a PWM chip with one clock', () => {
  it('that differ are told at both users, with the name and the frequency of the other', () => {
    expect(messages(board('pca9685'), servo('pan', 's0'), motor('left', { pwm: 's1', dir: '7' }))).toEqual([
      '/frequency_hz All channels of PWM chip "pca9685" of board "hat" have one clock: "pan" runs at 50 Hz there, and motor "left" at 800 Hz. Set the same frequency for both.',
      '/pwm_freq All channels of PWM chip "pca9685" of board "hat" have one clock: "left" runs at 800 Hz there, and servo "pan" at 50 Hz. Set the same frequency for both.',
    ]);
    expect(messages(board('PCA9685'), servo('pan', 's0'), servo('tilt', 'p1', { frequency_hz: 60 }))).toHaveLength(2);
    expect(messages(board('pca9685', { pwm_frequency_hz: 100 }), servo('pan', 's0'), servo('tilt', 's1'))).toEqual([]);
    expect(messages(board('pca9685'), motor('left', { a: 's0', b: 's1' }), servo('pan', 's2'))).toHaveLength(2);
  });

  it('that are the same, and levels, which have none, are fine', () => {
    const slow = { pwm_freq: 50 };
    expect(messages(board('pca9685'), servo('pan', 's0'), motor('left', { pwm: 's1', dir: '7' }, slow))).toEqual([]);
    expect(messages(board('pca9685'), servo('pan', 's0'), motor('left', { pwm: '7', dir: 's1' }))).toEqual([]);
  });

  it('are not judged where the chip is not known to have one clock, or is another', () => {
    const users = [servo('pan', 's0'), servo('tilt', 's1', { frequency_hz: 60 })];
    expect(messages(board('pwmchip0'), ...users)).toEqual([]);
    const pins = ['a pca9685', 'another pca9685'].map((chip, index) => ({
      name: `s${index}`,
      pwm_chip_sysfs_dir: chip,
      pwm_id: 0,
    }));
    expect(messages(board('', { pins }), ...users)).toEqual([]);
    expect(messages(...users)).toEqual([]);
  });
});
