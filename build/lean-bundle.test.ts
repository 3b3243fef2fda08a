import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { inAscii, withoutBuiltinImports } from './lean-bundle.ts';

describe('withoutBuiltinImports', () => {
  it.each([
    ['import os from "node:os";', 'const os = globalThis.process.getBuiltinModule("node:os");'],
    ['import * as http2 from "node:http2";', 'const http2 = globalThis.process.getBuiltinModule("node:http2");'],
    [
      'import { open as open$1, stat } from "node:fs/promises";',
      'const { open: open$1, stat } = globalThis.process.getBuiltinModule("node:fs/promises");',
    ],
    [
      'import net, { isIP } from "node:net";',
      'const net = globalThis.process.getBuiltinModule("node:net"); const { isIP } = globalThis.process.getBuiltinModule("node:net");',
    ],
  ])('%s', (before, after) => {
    expect(withoutBuiltinImports(before)).toBe(after);
  });

  it('leaves other imports, and text that only looks like one', () => {
    const code = [
      'import { t } from "./rolldown-runtime.js";',
      'import { app } from "electron";',
      'export { x } from "node:path";',
      'const text = `  import os from "node:os";`;',
      'const lazy = () => import("node:inspector");',
    ].join('\n');
    expect(withoutBuiltinImports(code)).toBe(code);
  });

  it('runs where the module imports `process` after others', () => {
    const code = withoutBuiltinImports('import path from "node:path";\nimport process from "node:process";\n');
    expect(runInNewContext(`${code}[path.sep, process.pid]`, { process })).toEqual([path.sep, process.pid]);
  });

  it('keeps every line where it is', () => {
    const code = 'import a from "node:os";\nimport {\n  b,\n  c as d\n} from "node:fs";\nrun(a, b, d);';
    const lines = (text: string): number => text.split('\n').length;
    expect(lines(withoutBuiltinImports(code))).toBe(lines(code));
  });
});

describe('inAscii', () => {
  it.each([
    '"text \u2026"',
    '`template ${"\u00b5"} \ud83d\ude00`',
    '({ \u00b5s: 1 })["\u00b5s"]',
    '/(ns|\u03bcs)/.exec("7\u03bcs")[1]',
    '/^\ud83d\ude00$/u.test("\ud83d\ude00")',
  ])('means the same: %s', (code) => {
    const escaped = inAscii(code);
    expect(escaped).toMatch(/^[\0-\x7f]*$/);
    expect(escaped).not.toBe(code);
    expect(runInNewContext(escaped)).toBe(runInNewContext(code));
  });
});
