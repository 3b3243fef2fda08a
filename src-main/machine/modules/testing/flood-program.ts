/**
 * A server in a process of its own, whose module writes a million lines. Prints what happened to them, and the server's
 * memory, as JSON.
 */
import { moduleBench } from './module-bench.ts';

const bench = moduleBench();
const flood = async (name: string, lines: number): Promise<void> => {
  bench.manager.apply([bench.config(name, 'floods', { env: { LINES: String(lines) } })]);
  await bench.logged(({ message, logger }) => message === 'flood over' && logger.includes(`.${name}.`));
};
// The heap has now grown to the size that floods need: what grows from here on is a leak.
for (const name of ['first', 'second', 'third']) await flood(name, 300_000);
const before = process.memoryUsage.rss();
await flood('test', 1_000_000);
const grownBytes = process.memoryUsage.rss() - before;
await bench.manager.close();
const entries = bench.logs.history.after(0);
const told = entries.filter(({ fields, logger }) => logger === 'core.modmanager.test' && 'lines' in fields);
const facts = {
  kept: entries.filter(({ logger }) => logger === 'core.modmanager.test.StdOut').length,
  leftOut: told.reduce((sum, { fields }) => sum + Number(fields['lines']), 0),
  grownBytes,
};
await bench.close();
process.stdout.write(`${JSON.stringify(facts)}\n`);
