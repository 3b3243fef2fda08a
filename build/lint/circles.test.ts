import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { components } from '../../src-main/base/cycles.ts';

const root = path.resolve(import.meta.dirname, '../..');
/**
 * Includes type imports: two files that need each other's types are as hard to read alone as two that call each other.
 */
const IMPORT = /(?:from|import\(|import)\s*'(\.[^']+)'/g;

describe('files of the program', () => {
  it('import each other in no circle', async () => {
    const imports = new Map<string, string[]>();
    for await (const file of glob('{src-main,src-renderer,proto,native}/**/*.ts', {
      cwd: root,
      exclude: ['**/node_modules/**', 'proto/gen/**'],
    })) {
      const text = readFileSync(path.join(root, file), 'utf8');
      const targets = [...text.matchAll(IMPORT)].map(([, target = '']) => path.join(path.dirname(file), target));
      imports.set(file, targets);
    }
    expect(imports.size).toBeGreaterThan(500);
    const circles = components(imports.keys(), (file) => imports.get(file) ?? []).filter(({ length }) => length > 1);
    expect(circles).toEqual([]);
  });
});
