import { writeFileSync } from 'node:fs';
import { loadEngine, type Engine } from './engine/engine.ts';
import { QueryDatabase, type ParsedQuery } from './engine/query-database.ts';
import { failureOf, QueryError } from './engine/query-failure.ts';
import { TOO_MUCH_MEMORY, type FromQuery, type StartQuery, type ToQuery } from './sql-protocol.ts';

/** How often a process looks at what it uses. */
const LOOK_MS = 50;

/** A process of its own for one query: it is started for it and ends with it, so nothing of one is there for the next. */
function main(): void {
  let start: StartQuery | undefined;
  let open: { readonly database: QueryDatabase; readonly query: ParsedQuery } | undefined;

  const take = async (message: ToQuery): Promise<FromQuery> => {
    switch (message.kind) {
      case 'start': {
        start = message;
        watchMemory(message.processBytes);
        const database = await QueryDatabase.open(await engineOf(message.engine), message.engineBytes);
        const query = await database.parse(message.sql);
        open = { database, query };
        return { kind: 'wanted', ...(await database.want(query, message.captures)) };
      }
      case 'readings':
        await open?.database.add(message);
        return { kind: 'taken' };
      case 'end': {
        if (open === undefined || start === undefined) throw new Error('the query was not started');
        return { kind: 'answer', ...(await open.database.answer(open.query, start)) };
      }
    }
  };

  process.on('message', (message: ToQuery) => {
    void take(message)
      .catch((thrown: unknown): FromQuery => ({ kind: 'failed', ...failureOf(thrown, start?.sql ?? '') }))
      .then((reply) => process.send?.(reply));
  });
  // The hub is gone, or wants no more of it. The engine would hold an orderly end up.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  preferredWhenMemoryEnds();
}

async function engineOf(name: string): Promise<Engine> {
  try {
    return await loadEngine(name);
  } catch (thrown) {
    throw new QueryError({ reason: 'absent', message: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

function watchMemory(mostBytes: number): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > mostBytes) process.exit(TOO_MUCH_MEMORY);
  }, LOOK_MS);
}

/** Linux takes this process first when memory ends, and not the hub. */
function preferredWhenMemoryEnds(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Some containers forbid it: the limits of this process hold all the same.
  }
}

main();
