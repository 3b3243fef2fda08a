import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import { relativeName, threadFiles } from './thread-files.ts';

describe('threadFiles', () => {
  it.each([
    ['chunks/a.js', 'chunks/b-thread.js', './b-thread.js'],
    ['cli.js', 'chunks/b-thread.js', './chunks/b-thread.js'],
    ['chunks/a.js', 'b-thread.js', '../b-thread.js'],
  ])('from %s, %s is %s', (from, to, name) => {
    expect(relativeName(from, to)).toBe(name);
  });

  it.each(['thread', 'process'])('a file that is run as a %s is named as the bundle has it', async (kind) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-threads-'));
    const file = (name: string): string => path.join(folder, name);
    await writeFile(file('word.ts'), `export const word: string = 'hello';`);
    await writeFile(
      file(`say-${kind}.ts`),
      `import { parentPort } from 'node:worker_threads'; import { word } from './word.ts'; parentPort?.postMessage(word);`,
    );
    await writeFile(
      file('main.ts'),
      `import { Worker } from 'node:worker_threads';
       export const said = (): Promise<unknown> => new Promise((resolve, reject) => {
         new Worker(new URL('./say-${kind}.ts', import.meta.url)).once('message', resolve).once('error', reject);
       });`,
    );
    const outDir = file('out');
    await build({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      plugins: [threadFiles([])],
      build: {
        ssr: file('main.ts'),
        ssrEmitAssets: true,
        outDir,
        rollupOptions: { output: { format: 'es', entryFileNames: 'main.mjs' } },
      },
    });
    await rm(file(`say-${kind}.ts`));
    const { said } = (await import(/* @vite-ignore */ pathToFileURL(path.join(outDir, 'main.mjs')).href)) as {
      said: () => Promise<unknown>;
    };
    expect(await said()).toBe('hello');
    await rm(folder, { recursive: true, force: true });
  });
});
