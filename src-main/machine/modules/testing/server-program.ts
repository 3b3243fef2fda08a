/** A server with one module, as a process that can be killed. Prints the module's process id when it is ready. */
import { moduleBench } from './module-bench.ts';

const bench = moduleBench();
bench.manager.apply([bench.config('test', process.argv[2] ?? '')]);
const { pid } = await bench.until('test', ({ state }) => state.kind === 'ready');
process.stdout.write(`${pid}\n`);
setInterval(() => undefined, 60_000);
