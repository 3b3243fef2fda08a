import { loadEngine, type Engine } from './engine/engine.ts';
import { QueryDatabase, type ParsedQuery } from './engine/query-database.ts';
import { failureOf, QueryError } from './engine/query-failure.ts';
import type { FromQuery, StartQuery, ToQuery } from './sql-protocol.ts';
import { endFirst, keepLimits } from '../../../base/processes/limited-process.ts';

/** Runs one query. The process is started for it and ends with it, so that nothing is left for the next query. */
function main(): void {
  let start: StartQuery | undefined;
  let open: { readonly database: QueryDatabase; readonly query: ParsedQuery } | undefined;

  const handle = async (message: ToQuery): Promise<FromQuery> => {
    switch (message.kind) {
      case 'start': {
        start = message;
        keepLimits(message.processBytes);
        const database = await QueryDatabase.open(await engineOf(message.engine), message.engineBytes);
        const query = await database.parse(message.sql);
        open = { database, query };
        return { kind: 'wanted', ...(await database.findWanted(query, message.captures)) };
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
    void handle(message)
      .catch((thrown: unknown): FromQuery => ({ kind: 'failed', ...failureOf(thrown, start?.sql ?? '') }))
      .then((reply) => process.send?.(reply));
  });
  endFirst();
}

async function engineOf(name: string): Promise<Engine> {
  try {
    return await loadEngine(name);
  } catch (thrown) {
    throw new QueryError({ reason: 'absent', message: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

main();
