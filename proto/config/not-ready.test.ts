import { describe, expect, it } from 'vitest';
import { notReady, type PlacedResource } from './not-ready.ts';
import type { Problem } from './problem.ts';

const motor = (name: string): string => `core:component:motor/${name}`;
const placed = (...names: readonly string[]): PlacedResource[] =>
  names.map((name, index) => ({ fullName: motor(name), pointer: `/components/${index}`, isDisabled: false }));
const problem = (pointer: string, code: string, severity: Problem['severity'] = 'warning') => ({
  pointer,
  code,
  severity,
});
const neededBy = new Map([
  [motor('a'), new Set([motor('b')])],
  [motor('b'), new Set([motor('c'), motor('a')])],
]);

describe('what will not be ready', () => {
  it('is what has such a problem, and all that needs it', () => {
    const resources = placed('a', 'b', 'c', 'd');
    const problems = [problem('/components/0/attributes/pins/a', 'attribute.no_interrupt')];
    expect(notReady(resources, problems, neededBy)).toEqual(['a', 'b', 'c'].map(motor));
    const wrong = problem('/components/3/attributes', 'config.wrong_type', 'error');
    expect(notReady(resources, [wrong], neededBy)).toEqual([motor('d')]);
  });

  it('is nothing for a warning that keeps nothing from running, and nothing that is disabled', () => {
    const resources = placed('a', 'b', 'c').map((one) => ({ ...one, isDisabled: one.fullName === motor('b') }));
    expect(notReady(resources, [problem('/components/0/attributes/max_rpm', 'attribute.ignored')], neededBy)).toEqual(
      [],
    );
    expect(notReady(resources, [problem('/components/0', 'dependency.missing')], neededBy)).toEqual([motor('a')]);
  });

  it('is not a resource whose number begins with the digits of another', () => {
    const resources = placed(...Array.from({ length: 11 }, (_, index) => `m${index}`));
    expect(notReady(resources, [problem('/components/10/model', 'config.no_module')], new Map())).toEqual([
      motor('m10'),
    ]);
  });
});
