/**
 * Writes the list of tests in e2e/README.md: each file of a suite, and the topics of its tests.
 *
 *   node build/test-list.mjs
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const e2e = path.resolve(path.dirname(self), '../e2e');
const page = path.join(e2e, 'README.md');
const FOLDERS = ['integration', 'interop', 'tests', 'soak', 'training', 'slurm', 'hardware'];
const LONGEST_LINE = 200;
const MARK = '<!-- node build/test-list.mjs writes what follows -->\n';

const GROUPS =
  /^(?:test\.)?describe\b(?:\.each\([\s\S]{0,400}?\]\))?[^'"`]{0,200}?\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1/gm;
const TESTS =
  /^(?:test|it|base)\b(?!\.(?:use|beforeEach|afterEach|afterAll|beforeAll))[^'"`]{0,200}?\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1/gm;

/**
 * Titles of the groups of a file, if it has any, else of its tests: only those at the beginning of a line.
 * @param {string} source
 * @returns {string[]}
 */
export function titlesOf(source) {
  const titles = (pattern) => [...source.matchAll(pattern)].map(([, , title]) => wordsOf(title));
  const groups = titles(GROUPS);
  return groups.length > 0 ? groups : titles(TESTS);
}

/** A title without the placeholders that are filled in when its test runs. */
function wordsOf(title) {
  const text = title.replace(/\\(.)/g, '$1').replace(/\s*\(?\$\{[^}]*(?:\}|$)\)?/g, '');
  return text.trim().replace(/\s+/g, ' ');
}

/**
 * The page with the current list.
 * @param {string} text
 * @returns {string}
 */
export function withList(text) {
  const [before] = text.split(MARK);
  const folders = FOLDERS.map((folder) => {
    const files = readdirSync(path.join(e2e, folder), { recursive: true })
      .map((file) => file.split(path.sep).join('/'))
      .filter((file) => /\.(test|spec)\.ts$/.test(file))
      .sort();
    return `### ${folder}/\n\n${files.map((file) => lineOf(folder, file)).join('\n')}\n`;
  });
  return `${before}${MARK}\n${folders.join('\n')}`;
}

function lineOf(folder, file) {
  const titles = titlesOf(readFileSync(path.join(e2e, folder, file), 'utf8'));
  const about = titles.length === 0 ? '' : `: ${titles.join('; ').replace(/[<>*_]/g, '\\$&')}`;
  const line = `- \`${file}\`${about}`;
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE).replace(/\s\S*$/, '')} …`;
}

if (process.argv[1] === self) writeFileSync(page, withList(readFileSync(page, 'utf8')));
