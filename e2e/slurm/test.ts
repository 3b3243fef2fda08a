/**
 * `npm run test:slurm`: trains on a Slurm cluster of one node that it starts, as root, and ends. Arguments go to vitest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { whyNoSlurm } from './slurm-cluster.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
const why = whyNoSlurm();
if (why === undefined) {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', 'slurm', ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [status] = (await once(child, 'exit')) as [number | null];
  process.exitCode = status ?? 1;
} else {
  process.stdout.write(`test:slurm: skipped, because ${why}.\n`);
}
