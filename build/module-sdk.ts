import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import type { Plugin } from 'vite';
import { errorCodes } from '../src-main/base/errors.ts';

const ENTRY = 'src-main/module-sdk/index.ts';
const ERRORS = 'src-main/base/errors.ts';
/** `from './x.ts'` in a declaration, and `import('./x.ts')`. */
const reference = /((?:from|import\()\s*["'])(\.[^"']+)\.ts(["'])/g;

/**
 * Makes the package `@armature-machine/module` next to the program: one file to import, and the declarations that an
 * author's editor reads. They are generated file by file from the sources alone, so a build needs no compiler.
 */
export function moduleSdk(root: string, outDir: string): Plugin {
  return {
    name: 'module-sdk',
    async closeBundle() {
      await buildModuleSdk(root, outDir);
    },
  };
}

/** Writes `package.json`, `index.js`, `index.d.ts` and the declarations that they need into `outDir`. */
export async function buildModuleSdk(root: string, outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  const bundle = await rolldown({ input: path.join(root, ENTRY), platform: 'node', logLevel: 'warn', cwd: root });
  await bundle.write({ dir: outDir, format: 'esm', entryFileNames: 'index.js', chunkFileNames: 'chunks/[name].js' });
  await bundle.close();
  await writeDeclarations(root, path.join(outDir, 'types'));
  const entry = `./types/${ENTRY.replace(/\.ts$/, '.js')}`;
  await writeFile(path.join(outDir, 'index.d.ts'), `export * from '${entry}';\n`);
  await writeFile(path.join(outDir, 'package.json'), `${JSON.stringify(await manifest(root), null, 2)}\n`);
}

async function manifest(root: string): Promise<object> {
  const { version, license, engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Readonly<
    Record<string, unknown>
  >;
  return {
    name: '@armature-machine/module',
    version,
    description: 'What modules of Armature are written with.',
    license,
    // The program distributes it, no registry does: this prevents publishing it by mistake.
    private: true,
    type: 'module',
    engines,
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  };
}

async function writeDeclarations(root: string, outDir: string): Promise<void> {
  const pending = [ENTRY];
  const seen = new Set(pending);
  for (const file of pending) {
    const source = await readFile(path.join(root, file), 'utf8');
    const text = declarationOf(file, source).replace(
      reference,
      (_whole, before: string, specifier: string, after: string) => {
        const target = path.posix.join(path.posix.dirname(file), `${specifier}.ts`);
        if (!seen.has(target)) {
          seen.add(target);
          pending.push(target);
        }
        return `${before}${specifier}.js${after}`;
      },
    );
    const out = path.join(outDir, file.replace(/\.ts$/, '.d.ts'));
    await mkdir(path.dirname(out), { recursive: true });
    await writeFile(out, text);
  }
}

/** The declaration of a file. The table of error codes is computed, so it is declared by its keys. */
function declarationOf(file: string, source: string): string {
  const { code, errors } = isolatedDeclarationSync(file, source, { stripInternal: true });
  if (file === ERRORS) {
    const codes = Object.keys(errorCodes).map((one) => `'${one}'`);
    return code.replace('keyof typeof errorCodes', codes.join(' | '));
  }
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}\n${error.codeframe ?? ''}`);
  return code;
}
