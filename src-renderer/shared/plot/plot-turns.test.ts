import { expect, it } from 'vitest';
import { leaveTurns, takeTurn } from './plot-turns.ts';

it('plots that are always due are drawn in turn, two in a frame, and one that is gone keeps nobody waiting', () => {
  const plots = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));
  const drawnIn = (frame: number): string =>
    plots
      .filter((plot) => takeTurn(plot, frame))
      .map(({ name }) => name)
      .join('');
  const timesDrawn = (frames: number, from: number): number[] => {
    const drawn = Array.from({ length: frames }, (_, index) => drawnIn(from + index));
    expect(new Set(drawn.map(({ length }) => length))).toEqual(new Set([2]));
    return plots.map(({ name }) => drawn.filter((each) => each.includes(name)).length);
  };
  for (const times of timesDrawn(50, 0)) expect(times).toBeGreaterThanOrEqual(15);
  const [gone] = plots.splice(0, 1);
  leaveTurns(gone ?? {});
  for (const times of timesDrawn(50, 100)) expect(times).toBeGreaterThanOrEqual(19);
});
