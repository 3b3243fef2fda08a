/**
 * The lists of the resource APIs. They contain each file of src-main/apis that exports a definition (`export const
 * motorApi: ResourceApi<Motor, ...> = defineApi({ api: '...'`).
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const DEFINITION = /^export const (\w+Api): ResourceApi<(\w+),[^=]*= defineApi(?:<[^>]*>)?\(\{\s*api: '([^']+)'/gm;
const HEAD = '// Made by build/api-lists.mjs from the files of the folder above.\n\n';

/**
 * @param {string} folder src-main/apis
 * @returns {Map<string, string>} source texts of the modules by name
 */
export function apiLists(folder) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
    .sort();
  const found = files.flatMap((file) =>
    [...readFileSync(path.join(folder, file), 'utf8').matchAll(DEFINITION)].map(([, constant, type, api]) => ({
      file,
      constant,
      type,
      api,
    })),
  );
  const modules = [...new Set(found.map(({ file }) => file))];
  const namesIn = (file, key) =>
    [...new Set(found.filter((one) => one.file === file).map((one) => one[key]))].join(', ');
  return new Map([
    [
      'definitions.ts',
      HEAD +
        modules.map((file) => `import { ${namesIn(file, 'constant')} } from '../${file}';\n`).join('') +
        `\nexport const definitions = [\n${found.map(({ constant }) => `  ${constant},\n`).join('')}] as const;\n`,
    ],
    [
      'resources.ts',
      HEAD +
        modules.map((file) => `import type { ${namesIn(file, 'type')} } from '../${file}';\n`).join('') +
        `\n${modules.map((file) => `export type * from '../${file}';\n`).join('')}` +
        '\n/** The resource of each API that the program knows by itself. */\n' +
        `export interface BuiltinResources {\n${found.map(({ api, type }) => `  '${api}': ${type};\n`).join('')}}\n`,
    ],
  ]);
}
