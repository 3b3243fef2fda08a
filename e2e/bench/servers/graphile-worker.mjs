/**
 * Runs graphile-worker on a PostgreSQL, with one task that runs a program with the word of its job. Notifies its parent
 * when it waits for jobs, and of each completed job.
 *
 *     node graphile-worker.mjs MODULE ADDRESS PROGRAM...
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';

const [module, connectionString, program, ...before] = process.argv.slice(2);
const worker = await import(pathToFileURL(module).href);

const runner = await worker.run({
  connectionString,
  concurrency: 1,
  noHandleSignals: true,
  logger: new worker.Logger(() => () => undefined),
  taskList: {
    async train({ word }) {
      const child = spawn(program, [...before, word], { stdio: 'ignore' });
      await once(child, 'exit');
    },
  },
});
runner.events.on('job:success', ({ job }) => process.send({ ended: job.payload.word }));
process.send({ ready: true });
process.once('disconnect', () => process.exit(0));
await runner.promise;
