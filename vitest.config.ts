import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';

const ignored = ['**/node_modules/**', 'dist/**', 'proto/gen/**', 'e2e/tests/**'];

/** Two tiers: `unit` is pure and quick; `integration` opens sockets and starts processes. */
export default defineConfig({
  plugins: [vue()],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Style sheets that a test reads as text are not emptied.
          css: { include: [/\.css\?raw$/] },
          include: ['src-main/**/*.test.ts', 'src-renderer/**/*.test.ts', 'proto/**/*.test.ts', 'build/**/*.test.ts'],
          exclude: [...ignored, '**/*.int.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['src-main/**/*.int.test.ts', 'native/test/**/*.test.ts', 'e2e/integration/**/*.test.ts', 'e2e/interop/**/*.test.ts'],
          exclude: ignored,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
