import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameJson } from './json-values.ts';
import { mergeByResource, type Side } from './merge-by-resource.ts';

interface Entry {
  readonly name: string;
  readonly speed: number;
}
interface Machine {
  readonly components: readonly Entry[];
  readonly debug?: boolean;
}

const none = new Map<string, Side>();
const bench: Machine = {
  components: [
    { name: 'left', speed: 1 },
    { name: 'right', speed: 1 },
    { name: 'bench', speed: 1 },
  ],
};
const pretty = (machine: Machine): string => `${JSON.stringify(machine, null, 2)}\n`;
const withSpeed = (machine: Machine, name: string, speed: number): Machine => ({
  ...machine,
  components: machine.components.map((entry) => (entry.name === name ? { name, speed } : entry)),
});
const without = (machine: Machine, name: string): Machine => ({
  ...machine,
  components: machine.components.filter((entry) => entry.name !== name),
});

function mergeOf(base: string, mine: string, theirs: string): NonNullable<ReturnType<typeof mergeByResource>> {
  const merge = mergeByResource(base, mine, theirs);
  if (merge === undefined) throw new Error('a text does not parse');
  return merge;
}

describe('two changes of one configuration', () => {
  it('complaint 5: that touch different resources come together, in the text of the other side', () => {
    const theirs = pretty(withSpeed(bench, 'right', 2)).replace('"speed": 2', '"speed":  2.0');
    const merge = mergeOf(pretty(bench), pretty(withSpeed(bench, 'left', 3)), theirs);
    expect(merge.parts.map(({ name, mine, theirs: other, isConflict }) => [name, mine, other, isConflict])).toEqual([
      ['left', 'changed', 'same', false],
      ['right', 'same', 'changed', false],
    ]);
    expect(merge.result(none)).toBe(
      theirs.replace('"name": "left",\n      "speed": 1', '"name": "left",\n      "speed": 3'),
    );
    expect(merge.dropsLayout).toBe(false);
  });

  it('of one resource are a conflict with both values, and stay theirs until somebody chooses', () => {
    const merge = mergeOf(
      pretty(bench),
      pretty(withSpeed(withSpeed(bench, 'bench', 2), 'left', 5)),
      pretty(without(withSpeed(bench, 'bench', 3), 'left')),
    );
    const conflicts = merge.parts.filter(({ isConflict }) => isConflict);
    expect(conflicts.map(({ name, mine, theirs }) => [name, mine, theirs])).toEqual([
      ['bench', 'changed', 'changed'],
      ['left', 'changed', 'removed'],
    ]);
    expect(conflicts[0]?.mineText).toContain('"speed": 2');
    expect(conflicts[1]?.theirsText).toBeUndefined();
    expect(JSON.parse(merge.result(none))).toEqual(without(withSpeed(bench, 'bench', 3), 'left'));
    const mine = new Map(conflicts.map(({ key }) => [key, 'mine' as const]));
    expect(JSON.parse(merge.result(mine))).toEqual(withSpeed(withSpeed(bench, 'bench', 2), 'left', 5));
  });

  it('that are equal are no conflict', () => {
    const changed = pretty(withSpeed(bench, 'left', 2));
    const merge = mergeOf(pretty(bench), changed, changed.replace('2\n', '2.0\n'));
    expect(merge.parts.some(({ isConflict }) => isConflict)).toBe(false);
    expect(merge.result(none)).toContain('2.0');
  });

  it('keep the spelling of mine in a part that the other side left alone, and say where order is not taken over', () => {
    const spelled = pretty(bench).replace('"speed": 1\n', '"speed": 1.00\n');
    const theirs = pretty({ ...bench, debug: true });
    expect(mergeOf(pretty(bench), spelled, theirs).result(none)).toContain('"speed": 1.00');
    const reordered = pretty({ components: [...bench.components].reverse() });
    expect(mergeOf(pretty(bench), reordered, theirs).dropsLayout).toBe(true);
  });

  it('are not merged while one text does not parse', () => {
    expect(mergeByResource('{}', '{', '{}')).toBeUndefined();
  });

  it('come together as both would be made one after the other, when they touch different parts', () => {
    const names = ['left', 'right', 'bench', 'extra', 'other'];
    const change = fc.record({ kind: fc.constantFrom('set', 'remove', 'add'), speed: fc.integer({ min: 2, max: 9 }) });
    const changes = fc.dictionary(fc.constantFrom(...names), change);
    const make = (machine: Machine, wanted: readonly (readonly [string, { kind: string; speed: number }])[]): Machine =>
      wanted.reduce((now, [name, { kind, speed }]) => {
        if (kind === 'remove') return without(now, name);
        const isThere = now.components.some((entry) => entry.name === name);
        if (isThere) return withSpeed(now, name, speed);
        return kind === 'add' ? { ...now, components: [...now.components, { name, speed }] } : now;
      }, machine);
    const sorted = (machine: Machine): Machine => ({
      ...machine,
      components: machine.components.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    });
    fc.assert(
      fc.property(changes, fc.constantFrom(0, 2, '\t'), (wanted, indent) => {
        const all = Object.entries(wanted);
        const [mine, theirs] = [all.filter((_, index) => index % 2 === 0), all.filter((_, index) => index % 2 === 1)];
        const written = (machine: Machine): string => JSON.stringify(machine, null, indent);
        const merge = mergeOf(written(bench), written(make(bench, mine)), written(make(bench, theirs)));
        expect(merge.parts.filter(({ isConflict }) => isConflict)).toEqual([]);
        expect(merge.dropsLayout).toBe(false);
        const result = JSON.parse(merge.result(none)) as Machine;
        expect(isSameJson(sorted(result), sorted(make(make(bench, theirs), mine)))).toBe(true);
      }),
    );
  });
});
