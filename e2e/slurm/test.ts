/**
 * `npm run test:slurm`: trains on a Slurm cluster of one node, which it starts (as root) and stops. Arguments go to
 * vitest.
 */
import { runSuites } from '../harness/run-suites.ts';
import { whyNoSlurm } from './slurm-cluster.ts';

const why = whyNoSlurm();
if (why === undefined) await runSuites({ vitest: 'slurm', playwright: 'slurm' }, process.argv.slice(2));
else process.stdout.write(`test:slurm: skipped, because ${why}.\n`);
