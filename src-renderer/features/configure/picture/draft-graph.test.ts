import type { Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocument, type DocumentModel } from '../document/document-model.ts';
import { graphSignature, reachable, type DependencyGraph } from '../../../shared/picture/dependency-graph.ts';
import { dependencyGraph } from './draft-graph.ts';

function modelOf(components: readonly object[]): DocumentModel {
  const read = readDocument(JSON.stringify({ components }));
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}

const generic = (name: string, dependsOn: readonly string[] = []): object => ({
  name,
  api: 'core:component:generic',
  model: 'fake',
  depends_on: dependsOn,
});
const idOf = (name: string): string => `core:component:generic/${name}`;
const graphOf = (components: readonly object[], live: readonly Resource[] = []): DependencyGraph =>
  dependencyGraph(modelOf(components), live, () => false);
const shortOf = (id: string): string => id.slice(id.indexOf('/') + 1);
const plain = ({ needs }: DependencyGraph): Record<string, string[]> =>
  Object.fromEntries<string[]>([...needs].map(([id, all]) => [shortOf(id), [...all].map(shortOf)]));

describe('the dependency graph', () => {
  it('is read from the references of the schema and from depends_on, short and full', () => {
    const graph = graphOf([
      { name: 'bench', api: 'core:component:board', model: 'fake', attributes: { fail_new: false } },
      { name: 'wheel', api: 'core:component:encoder', model: 'incremental', attributes: { board: 'bench', pins: {} } },
      {
        name: 'left',
        api: 'core:component:motor',
        model: 'gpio',
        attributes: { board: 'core:component:board/bench', encoder: 'wheel' },
        depends_on: ['wheel'],
      },
    ]);
    expect(plain(graph)).toEqual({ bench: [], wheel: ['bench'], left: ['bench', 'wheel'] });
    expect([...(graph.neededBy.get('core:component:board/bench') ?? [])]).toEqual([
      'core:component:encoder/wheel',
      'core:component:motor/left',
    ]);
  });

  it('has a missing node for a name that no entry has', () => {
    const graph = graphOf([generic('a', ['gone'])]);
    expect(plain(graph)).toEqual({ a: ['gone'], gone: [] });
    expect(graph.nodes.get('gone')?.isThere).toBe(false);
  });

  it('adds the dependencies that the machine reports, unless the draft changes the entry', () => {
    const running = { name: idOf('a'), dependsOn: [idOf('b'), idOf('not-here')] } as unknown as Resource;
    const components = [generic('a'), generic('b')];
    expect(plain(graphOf(components, [running]))).toEqual({ a: ['b'], b: [] });
    expect(plain(dependencyGraph(modelOf(components), [running], () => true))).toEqual({ a: [], b: [] });
  });

  it('finds cycles, also of a single node', () => {
    expect(graphOf([generic('a', ['b']), generic('b', ['a']), generic('c', ['a'])]).cycles).toEqual([
      [idOf('a'), idOf('b')],
    ]);
    expect(graphOf([generic('a', ['a'])]).cycles).toEqual([[idOf('a')]]);
  });

  it('has in cycles exactly the nodes that can reach themselves, for any dependencies', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const wires = fc.array(fc.array(fc.constantFrom(...names), { maxLength: 3 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(wires, (all) => {
        const graph = graphOf(names.map((name, index) => generic(name, all[index])));
        const inCycle = graph.cycles.flat();
        expect(new Set(inCycle).size).toBe(inCycle.length);
        for (const id of graph.nodes.keys()) {
          const direct = [...(graph.needs.get(id) ?? [])];
          const comesBack = direct.some((next) => next === id || reachable(graph.needs, next).includes(id));
          expect(inCycle.includes(id)).toBe(comesBack);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('the signature of a graph', () => {
  it('is the same for the same picture, and differs if a wire, a name or a missing node differs', () => {
    const one = graphSignature(graphOf([generic('a', ['b']), generic('b')]));
    expect(graphSignature(graphOf([generic('a', ['b']), generic('b')]))).toBe(one);
    for (const other of [[generic('a'), generic('b')], [generic('a', ['b'])], [generic('a', ['c']), generic('c')]]) {
      expect(graphSignature(graphOf(other))).not.toBe(one);
    }
  });
});
