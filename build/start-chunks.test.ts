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
});
