import { describe, expect, it } from 'vitest';
import { driverBoardNames } from './driver-boards.ts';
import { wiringOf } from './driver-wires.ts';
import { wiringLayout } from './wiring-layout.ts';

const pins = { a: '11', b: '13', pwm: '32', en_high: '36' };

describe('the layout of a wiring picture', () => {
  it.each(driverBoardNames)('of a %s has each label in a row of its own, so that no wires cross', (board) => {
    for (const style of ['in1-in2', 'in1-in2-pwm', 'pwm-dir'] as const) {
      const layout = wiringLayout(board, wiringOf(board, { pins, style, enable: ['en_high'] }));
      const heights = [...layout.wires, ...layout.ties].map(({ y }) => y);
      expect(new Set(heights).size).toBe(heights.length);
      for (const { y, isAstray } of layout.wires) expect(y > layout.boxHeight).toBe(isAstray);
      expect(Math.max(...heights)).toBeLessThan(layout.height);
      for (const { y } of [...layout.inputs, ...layout.outputs]) expect(y).toBeLessThan(layout.boxHeight);
    }
  });

  it('joins two terminals by one wire between them', () => {
    const wiring = wiringOf('bts7960', { pins, style: 'in1-in2', enable: ['en_high'] });
    const layout = wiringLayout('bts7960', wiring);
    const yOf = (name: string): number => layout.inputs.find((one) => one.name === name)?.y ?? 0;
    const joined = layout.wires.find(({ wire }) => wire.key === 'en_high');
    expect(joined?.y).toBe((yOf('R_EN') + yOf('L_EN')) / 2);
    expect(joined?.path.split('M')).toHaveLength(4);
  });
});
