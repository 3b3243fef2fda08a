import { describe, expect, it } from 'vitest';
import { groupSources, isSameSource } from './source-groups.ts';
import { dataSource } from './source.fixture.ts';

const short = (groups: ReturnType<typeof groupSources>): string[] =>
  groups.groups.map(({ label, sources }) => `${label}: ${sources.map((each) => each.componentName).join(' ')}`);

describe('sources', () => {
  const here = dataSource({ partId: 'here', machineId: 'm2', machineName: 'zebra' });
  const motor10 = dataSource({ componentName: 'motor10' });
  const motor9 = dataSource({ componentName: 'motor9' });
  const other = dataSource({ partId: 'p2', machineId: 'm3', machineName: 'anvil' });

  it('are grouped by machine, this one first, and sorted by name with numbers in order', () => {
    expect(short(groupSources([motor10, other, motor9, here], '', 'here'))).toEqual([
      'zebra: climate',
      'anvil: climate',
      'press: motor9 motor10',
    ]);
  });

  it('name the part where a machine has several, and use the newest name of the machine', () => {
    const arm = dataSource({ partId: 'arm', partName: 'arm', machineName: 'old press', last: new Date(1) });
    const newer = dataSource({ partId: 'arm', partName: 'arm', componentName: 'x', last: new Date(9) });
    expect(short(groupSources([motor9, arm, newer], '', ''))).toEqual([
      'press / arm: climate x',
      'press / press-main: motor9',
    ]);
    // The machine still has two parts, though the search finds only one.
    expect(short(groupSources([motor9, arm], 'climate', ''))).toEqual(['old press / arm: climate']);
  });

  it('are found by all words of a search, in any case', () => {
    expect(short(groupSources([motor9, other], 'ANVIL sens', ''))).toEqual(['anvil: climate']);
    expect(groupSources([motor9, other], 'anvil motor9', '').groups).toEqual([]);
  });

  it('are not all listed where there are very many', () => {
    const many = Array.from({ length: 320 }, (_, index) => dataSource({ componentName: `s${index}` }));
    const { groups, left } = groupSources([...many, other], '', 'p2');
    expect(groups.map(({ sources }) => sources.length)).toEqual([1, 299]);
    expect(left).toBe(21);
  });

  it('are identified by their names and their kind', () => {
    const key = { ...motor9, isBinary: true };
    expect([isSameSource(motor9, { ...motor9 }), isSameSource(motor9, key), isSameSource(undefined, key)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
