import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlotBuffer } from './plot-buffer.ts';
import type { PlotChannel } from './plot-channel.ts';
import { plotCsv } from './plot-csv.ts';

const begin = Date.UTC(2026, 10, 21, 10);
const heading: PlotChannel = { name: 'a', label: 'actual', unit: 'rpm' };

function table(
  channels: readonly PlotChannel[],
  samples: Readonly<Record<string, readonly (readonly [number, number])[]>>,
  view = { to: begin + 10_000, windowMs: 10_000 },
): string[][] {
  const buffers = new Map(channels.map(({ name }) => [name, new PlotBuffer()]));
  for (const { name, isStepped = false } of channels) {
    for (const [at, value] of samples[name] ?? []) {
      if (isStepped) buffers.get(name)?.addStep(begin + at, value);
      else if (Number.isNaN(value)) buffers.get(name)?.addGap();
      else buffers.get(name)?.add(begin + at, value);
    }
  }
  const text = plotCsv(channels, (name) => buffers.get(name) ?? new PlotBuffer(), view);
  expect(text.endsWith('\r\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\r\n')
    .map((line) => line.split(','));
}

describe('the values of a plot as a table', () => {
  it('have a row for each time, with an empty cell where a channel has no sample', () => {
    const rows = table([heading, { name: 'p', label: 'power', unit: '' }], {
      a: [
        [20, 1.5],
        [40, -2],
      ],
      p: [
        [40, 0.25],
        [65, 1e-7],
      ],
    });
    expect(rows).toEqual([
      ['time', 'seconds', 'actual (rpm)', 'power'],
      ['2026-11-21T10:00:00.020Z', '0', '1.5', ''],
      ['2026-11-21T10:00:00.040Z', '0.02', '-2', '0.25'],
      ['2026-11-21T10:00:00.065Z', '0.045', '', '1e-7'],
    ]);
  });

  it('are those of the view, its edges too, without gaps', () => {
    const samples: [number, number][] = [
      [990, 0],
      [1_000, 1],
      [1_500, 2],
      [0, Number.NaN],
      [2_000, 3],
      [2_001, 4],
    ];
    const rows = table([heading], { a: samples }, { to: begin + 2_000, windowMs: 1_000 });
    expect(rows.slice(1).map((row) => row[2])).toEqual(['1', '2', '3']);
  });

  it('have in the first row what a value that changes seldom held then', () => {
    const held: PlotChannel = { name: 'c', label: 'commanded', unit: 'rpm', isStepped: true };
    const samples = {
      a: [
        [20, 1],
        [40, 2],
        [60, 3],
      ],
      c: [
        [-5_000, 90],
        [40, 60],
      ],
    } as const;
    expect(table([heading, held], samples).map((row) => row[3])).toEqual(['commanded (rpm)', '90', '60', '']);
  });

  it('are quoted where a name needs it', () => {
    const text = plotCsv([{ name: 'x', label: 'a "b", c', unit: '%' }], () => new PlotBuffer(), {
      to: 1,
      windowMs: 1,
    });
    expect(text).toBe('time,seconds,"a ""b"", c (%)"\r\n');
  });

  it('are all there, each once, in the order of time', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, steps, (ones, others) => {
        const samplesOf = (gaps: readonly number[]): [number, number][] => {
          let time = 0;
          return gaps.map((gap, index) => [(time += gap), index]);
        };
        const samples = { a: samplesOf(ones), b: samplesOf(others) };
        const channels = [heading, { ...heading, name: 'b' }].map((each) => ({ ...each, unit: '' }));
        const [, ...rows] = table(channels, samples);
        for (const [place, name] of [
          [2, 'a'],
          [3, 'b'],
        ] as const) {
          const written = rows.filter((row) => row[place] !== '');
          expect(written.map((row) => [Date.parse(row[0] ?? '') - begin, Number(row[place])])).toEqual(samples[name]);
        }
        const times = rows.map(([time = '']) => Date.parse(time));
        expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
      }),
      { numRuns: 50 },
    );
  });
});
