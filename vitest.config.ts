import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';

const ignored = ['**/node_modules/**', 'dist/**', 'proto/gen/**', 'e2e/tests/**'];

/**
 * `unit` is pure and quick; `integration` opens sockets and starts processes; `soak` breaks things, for minutes, and is
 * not part of `npm test`. `training` trains models, for minutes each, and needs PyTorch. `slurm` starts a Slurm cluster of
 * its own, as root.
 */
export default defineConfig({
  plugins: [vue()],
  test: {
    // Much of what the tests do is waiting for processes of their own: a second worker uses that time.
    maxWorkers: 2,
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
          include: [
            'src-main/**/*.int.test.ts',
            'native/test/**/*.test.ts',
            'e2e/integration/**/*.test.ts',
            'e2e/interop/**/*.test.ts',
          ],
          exclude: ignored,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          include: ['e2e/soak/**/*.soak.test.ts'],
          exclude: ignored,
          // They measure, and each has the computer to itself.
          fileParallelism: false,
          testTimeout: 900_000,
          hookTimeout: 60_000,
          // What was measured is printed where it was.
          disableConsoleIntercept: true,
        },
      },
      {
        extends: true,
        test: {
          name: 'training',
          include: ['e2e/training/**/*.training.test.ts'],
          exclude: ignored,
          // Two at once would only share the processor.
          fileParallelism: false,
          testTimeout: 2_400_000,
          hookTimeout: 60_000,
          disableConsoleIntercept: true,
        },
      },
      {
        extends: true,
        test: {
          name: 'slurm',
          include: ['e2e/slurm/**/*.slurm.test.ts'],
          exclude: ignored,
          // Each file has a cluster of its own, and a node of it is this computer.
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
