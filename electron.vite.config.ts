import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'electron-vite';
import { resolve } from 'node:path';
import { leanBundle } from './build/lean-bundle.ts';
import { leanMessages } from './build/lean-messages.ts';
import { moduleSdk } from './build/module-sdk.ts';
import { startChunks } from './build/start-chunks.ts';
import { threadFiles } from './build/thread-files.ts';

const main = (name: string): string => resolve(import.meta.dirname, 'src-main', `${name}.ts`);

// These have native parts of their own, and are loaded when a module is built, a camera draws, somebody queries data, a
// model runs, or a peer comes over WebRTC.
const external = [
  'electron',
  'bufferutil',
  'utf-8-validate',
  'rolldown',
  'sharp',
  '@duckdb/node-api',
  'onnxruntime-node',
  'node-datachannel',
];

/**
 * Everything our code needs is bundled (dependencies too): one read and one
 * compile at start instead of hundreds. What a configuration does not name
 * stays in chunks of its own, behind dynamic imports.
 */
export default defineConfig({
  main: {
    build: {
      outDir: 'dist/main',
      target: 'node22',
      externalizeDeps: false,
      sourcemap: true,
      rollupOptions: {
        input: { index: main('index'), cli: main('cli') },
        external,
        output: {
          format: 'es',
          comments: false,
          codeSplitting: startChunks(import.meta.dirname, {
            server: 'src-main/server.ts',
            hub: 'src-main/hub/hub.ts',
          }),
        },
      },
    },
    plugins: [
      threadFiles(external),
      leanMessages(['create', 'fromPartial']),
      leanBundle(),
      moduleSdk(import.meta.dirname, resolve(import.meta.dirname, 'dist/module')),
    ],
  },
  preload: {
    build: {
      outDir: 'dist/preload',
      externalizeDeps: false,
      rollupOptions: {
        input: { index: main('app/desktop/preload') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src-renderer',
    build: {
      outDir: 'dist/renderer',
      // electron-vite leaves it out by default, for programs that are read from a disk; this page also comes over a network.
      minify: true,
      rollupOptions: {
        input: { index: resolve(import.meta.dirname, 'src-renderer/index.html') },
        output: {
          codeSplitting: startChunks(
            import.meta.dirname,
            {
              main: 'src-renderer/main.ts',
              machine: 'src-renderer/shared/machine/rpc/rpc-machine.ts',
              texts: 'src-renderer/shared/text.ts',
              models: 'src-renderer/shared/builtin-models.ts',
              app: 'src-renderer/app/start-app.ts',
            },
            ['proto/gen/core/app/data/v1/data.ts'],
          ),
        },
      },
    },
    plugins: [vue(), leanMessages(['create', 'fromPartial', 'toJSON'])],
  },
});
