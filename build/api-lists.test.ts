import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { apiLists } from './api-lists.mjs';

it('the lists have every definition of the folder, also two of one file, and nothing else', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'api-lists-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const definition = (constant: string, type: string, api: string): string =>
    `export const ${constant}: ResourceApi<${type}, typeof Definition> = defineApi({\n  api: '${api}',\n`;
  writeFileSync(path.join(folder, 'lamp.ts'), definition('lampApi', 'Lamp', 'core:component:lamp'));
  writeFileSync(
    path.join(folder, 'any.ts'),
    definition('oneApi', 'Any', 'core:component:any') + definition('otherApi', 'Any', 'core:service:any'),
  );
  writeFileSync(path.join(folder, 'fields.ts'), 'export const finite = 1;\n');
  writeFileSync(path.join(folder, 'lamp.test.ts'), definition('fakeApi', 'Fake', 'core:component:fake'));
  const lists = apiLists(folder);
  expect(lists.get('definitions.ts')).toContain(
    "import { oneApi, otherApi } from '../any.ts';\nimport { lampApi } from '../lamp.ts';\n",
  );
  expect(lists.get('definitions.ts')).toContain('[\n  oneApi,\n  otherApi,\n  lampApi,\n]');
  expect(lists.get('resources.ts')).toContain(
    "  'core:component:any': Any;\n  'core:service:any': Any;\n  'core:component:lamp': Lamp;\n}",
  );
});
