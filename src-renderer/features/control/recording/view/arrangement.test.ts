import { describe, expect, it } from 'vitest';
import { PlotBuffer } from '../../../../shared/plot/plot-buffer.ts';
import type { RecordedChannel } from '../file/recording.ts';
import { arranged, firstArrangement, MAX_LINES, plotsOf } from './arrangement.ts';

function channel(name: string, unit: string, values: readonly number[] = []): RecordedChannel {
  const buffer = new PlotBuffer();
  values.forEach((value, index) => buffer.add(index * 100, value));
  return { name, resource: name.slice(0, name.indexOf('.')), unit, buffer };
}
const channels = [
  channel('left.position', 'rev', [0, 1]),
  channel('left.power', '', [1, 1]),
  channel('right.position', 'rev', [2, 3]),
  channel('right.power', '', [0, 0.5]),
];
const namesOf = (plots: ReturnType<typeof plotsOf>) =>
  plots.map((plot) => plot.channels.map(({ name, axis }) => (axis === 'right' ? `${name}, right` : name)));

describe('the plots of a recording', () => {
  it('are at first those of the channels that change, each alone', () => {
    expect(namesOf(plotsOf(channels, firstArrangement(channels)))).toEqual([
      ['left.position'],
      ['right.position'],
      ['right.power'],
    ]);
  });

  it('are the first ones where nothing changes', () => {
    const still = Array.from({ length: 9 }, (_, index) => channel(`still.${index}`, '', [1]));
    expect(plotsOf(still, firstArrangement(still))).toHaveLength(6);
  });

  it('have lines of one unit; what has no unit is alone', () => {
    expect(namesOf(plotsOf(channels, arranged(channels, 'unit')))).toEqual([
      ['left.position', 'right.position'],
      ['left.power'],
      ['right.power'],
    ]);
  });

  it('have the lines of a resource, another unit at the right', () => {
    expect(namesOf(plotsOf(channels, arranged(channels, 'resource')))).toEqual([
      ['left.position', 'left.power, right'],
      ['right.position', 'right.power, right'],
    ]);
  });

  it('have no more lines than can be told apart', () => {
    const many = Array.from({ length: MAX_LINES + 1 }, (_, index) => channel(`bench.${index}`, 'V'));
    const plots = plotsOf(many, arranged(many, 'unit'));
    expect(plots.map((plot) => plot.channels.length)).toEqual([MAX_LINES, 1]);
  });

  it('can be none', () => {
    expect(plotsOf(channels, arranged(channels, 'none'))).toEqual([]);
  });
});
