import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { startChunks, type Modules } from './start-chunks.ts';

/** The static imports of each file. */
const graph: Readonly<Record<string, readonly string[]>> = {
  '/r/server.ts': ['/r/rpc.ts', '/r/shared.ts'],
  '/r/rpc.ts': ['/r/shared.ts', '/r/server.ts'],
  '/r/shared.ts': ['/lib/index.js'],
  '/lib/index.js': [],
  '/r/hub.ts': ['/r/shared.ts', '/r/store.ts'],
  '/r/store.ts': [],
  '/r/doctor.ts': [],
};
const modules: Modules = {
  getModuleInfo: (id) => (graph[id] === undefined ? null : { importedIds: graph[id] }),
};

describe('startChunks', () => {
  it('puts what a file imports into its chunk, what several import into the first, and nothing else', () => {
    const [group] = startChunks('/r', { server: 'server.ts', hub: 'hub.ts' }).groups;
    const chunkOf = (id: string) => group?.name(id, modules);
    expect(Object.fromEntries(Object.keys(graph).map((id) => [id, chunkOf(id)]))).toEqual({
      '/r/server.ts': 'server',
      '/r/rpc.ts': 'server',
      '/r/shared.ts': 'server',
      '/lib/index.js': 'server',
      '/r/hub.ts': 'hub',
      '/r/store.ts': 'hub',
      '/r/doctor.ts': null,
    });
  });

  it('leaves out a file of which no start uses anything', () => {
    const [group] = startChunks('/r', { server: 'server.ts', hub: 'hub.ts' }, ['store.ts']).groups;
    expect(['/r/store.ts', '/r/hub.ts'].map((id) => group?.name(id, modules))).toEqual([null, 'hub']);
  });

  it('a bundle has a chunk for each, and what both import is in the first', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-chunks-'));
    const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
    await write('shared.ts', `export const shared = () => console.log('shared');`);
    await write('store.ts', `import { shared } from './shared.ts'; export const store = () => shared();`);
    await write('hub.ts', `import { store } from './store.ts'; store();`);
    await write('server.ts', `import { shared } from './shared.ts'; shared(); setTimeout(() => import('./hub.ts'));`);
    await write('cli.ts', `await import('./server.ts');`);
    const bundle = await rolldown({ cwd: folder, input: './cli.ts' });
    const { output } = await bundle.generate({
      codeSplitting: startChunks(folder, { server: 'server.ts', hub: 'hub.ts' }),
    });
    await bundle.close();
    await rm(folder, { recursive: true });
    const files = output.flatMap((chunk) =>
      chunk.type === 'chunk' ? [chunk.moduleIds.map((id) => path.basename(id)).sort()] : [],
    );
    expect(files).toContainEqual(['server.ts', 'shared.ts']);
    expect(files).toContainEqual(['hub.ts', 'store.ts']);
  });
});
