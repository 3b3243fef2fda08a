import { expect, it } from 'vitest';
import { builtinCatalog } from '../catalog.ts';

const check = (regex: string) =>
  builtinCatalog.find('core:component:sensor', 'core:builtin:file')?.check?.({ path: '/sys/a', regex }) ?? [];

it('a pattern that RE2 does not know is an error at its field, with the reason', () => {
  expect(check('(?<=t=)\\d+')).toEqual([
    {
      pointer: '/regex',
      severity: 'error',
      code: 'attribute.not_allowed',
      message: '"regex" is no pattern: "(?<=t=)\\d+" looks ahead or behind, which patterns here cannot. Correct it.',
    },
  ]);
  expect(check('(')).toMatchObject([{ pointer: '/regex' }]);
  expect(check('t=(\\d+)')).toEqual([]);
});
