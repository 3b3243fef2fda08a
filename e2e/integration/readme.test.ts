import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '../..');
const readme = readFileSync(path.join(repository, 'e2e/README.md'), 'utf8');

/** Rows `| ... | `file` | title |` of the tables, as written in the source: with its placeholders. */
const rows = [...readme.matchAll(/^\|.*\| `([^`]+\.(?:test|spec)\.ts)` *\| (.+?) *\|$/gm)].map(
  ([, file = '', title = '']) => ({ file, title: title.replaceAll('\\|', '|') }),
);

/** What the issue asks to do better; the ones left out are named in the README with their reason. */
const points: Readonly<Record<string, readonly number[]>> = {
  B1: [1, 2, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 21, 22],
  B2: [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12],
  B3: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  B4: [1, 2, 4, 5, 6],
  B5: [1, 2, 3, 4],
  B6: [1, 2, 3, 4, 5],
  B7: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  B8: [1, 2, 3, 4, 5, 6],
  B12: [1, 2, 3, 4, 5, 6, 7],
};

/** Complaints about tools of this kind that the window answers; the numbers are those under which they were collected. */
const complaints = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 25];

describe('e2e/README.md', () => {
  it('names tests that exist, each in its file', () => {
    expect(rows.length).toBeGreaterThan(100);
    const missing = rows.filter(({ file, title }) => {
      const source = readFileSync(path.join(repository, file), 'utf8').replaceAll("\\'", "'");
      return !["'", '`', '"'].some((quote) => source.includes(`${quote}${title}${quote}`));
    });
    expect(missing).toEqual([]);
  });

  it('has a row for every complaint that is answered', () => {
    expect(
      complaints.filter((number) => !new RegExp(`^\\| ${number} +\\|.*complaint ${number}: `, 'm').test(readme)),
    ).toEqual([]);
  });

  it('has a row for every point that is to be done better', () => {
    const ids = Object.entries(points).flatMap(([part, numbers]) => numbers.map((number) => `${part}.${number}`));
    expect(ids.filter((id) => !new RegExp(`^\\| ${id} +\\|`, 'm').test(readme))).toEqual([]);
  });
});
