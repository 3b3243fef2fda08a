import { expect, it } from 'vitest';
import { builtinCatalog } from '../../models/catalog.ts';
import { parseConfig } from '../reading/parse-config.ts';

const board = { name: 'bench', api: 'core:component:board', model: 'fake' };

function problemsOf(attributes: object | undefined): unknown[] {
  const motor = { name: 'left', api: 'core:component:motor', model: 'gpio', attributes };
  const text = JSON.stringify({ components: [board, motor] });
  return parseConfig(text, { file: '', environment: {}, catalog: builtinCatalog }).problems.map(
    ({ code, pointer, missing }) => [code, pointer, missing],
  );
}

const wired = { board: 'bench', pins: { pwm: '1', dir: '2' } };
const at = '/components/1/attributes';

it('names the attribute that is missing, by the schema or by a rule, because its place cannot name it', () => {
  expect(problemsOf({ ...wired, board: undefined })).toEqual([['attribute.missing', at, 'board']]);
  expect(problemsOf(wired)).toEqual([['attribute.missing', at, 'max_rpm']]);
  expect(problemsOf(undefined)).toEqual([
    ['attribute.missing', '/components/1', 'board'],
    ['attribute.missing', '/components/1', 'pins'],
  ]);
});

it('has the place itself where a value is there that is not enough', () => {
  expect(problemsOf({ ...wired, max_rpm: 0 })).toEqual([['attribute.missing', `${at}/max_rpm`, undefined]]);
});
