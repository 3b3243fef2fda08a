import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { titlesOf, withList } from './test-list.mjs';

it('the list of tests in e2e/README.md is of these files: node build/test-list.mjs writes it', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../e2e/README.md'), 'utf8');
  expect(withList(page)).toBe(page);
});

it('a file is about its groups, else about its tests, whatever is inside of them', () => {
  const tests = `test('one', () => {\n  it('inner', () => undefined);\n});\nit.each([1])("it's %s", () => undefined);\n`;
  expect(titlesOf(tests)).toEqual(['one', "it's %s"]);
  expect(titlesOf(`${tests}describe('a group', () => undefined);\n`)).toEqual(['a group']);
  expect(titlesOf("test(\n  'long, and isn\\'t cut',\n  () => undefined,\n);\n")).toEqual(["long, and isn't cut"]);
});
