import type { DataServiceDefinition } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { HubDataServiceDefinition } from '../../../../proto/gen/core/hub/v1/data.ts';
import { LineIndex } from '../../../../proto/config/text/text-position.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { QueryFailed } from './query-process.ts';
import type { SqlQueries } from './sql-queries.ts';

const MAX_ROWS = 10_000;

/** SQL for public clients: each row is a BSON document, and a mistake in the query is an error of the call. */
export function sqlCalls(queries: SqlQueries): HubHandlers<typeof DataServiceDefinition> {
  return {
    async tabularDataBySQL({ organizationId, sqlQuery }, caller, call) {
      try {
        const query = { organizationId, sql: sqlQuery, encoding: 'bson' as const, enoughRows: undefined };
        const { rows } = await queries.run(query, caller, call);
        return { rawData: [...rows] };
      } catch (thrown) {
        if (!(thrown instanceof QueryFailed)) throw thrown;
        const { message, position } = thrown.failure;
        throw new ArmatureError('call.bad_argument', `${message}${placeOf(position, sqlQuery)}`);
      }
    },

    tabularDataByMQL() {
      throw new ArmatureError(
        'call.unimplemented',
        'This hub does not answer MQL. TabularDataBySQL answers SQL over the same readings.',
      );
    },
  };
}

/** SQL for the window: columns in their order, a limited answer, and a mistake in the query with its position. */
export function sqlWindowCalls(queries: SqlQueries): HubHandlers<typeof HubDataServiceDefinition> {
  return {
    async query({ organizationId, sql, mostRows }, caller, call) {
      if (mostRows < 1 || mostRows > MAX_ROWS) {
        throw new ArmatureError('call.bad_argument', `"most_rows" is ${mostRows}; allowed is 1 to ${MAX_ROWS}.`);
      }
      try {
        const query = { organizationId, sql, encoding: 'json' as const, enoughRows: mostRows };
        const { columns, rows, isCut, readings } = await queries.run(query, caller, call);
        const table = {
          columns: [...columns],
          rows: rows.map((row) => Buffer.from(row).toString()),
          isCut,
          readings: BigInt(readings),
        };
        return { outcome: { $case: 'table', value: table } };
      } catch (thrown) {
        if (!(thrown instanceof QueryFailed)) throw thrown;
        const { message, position } = thrown.failure;
        return { outcome: { $case: 'mistake', value: { message, position } } };
      }
    },
  };
}

/** The position for a message: ` (line 2, column 5)`. @param position number of characters before it */
function placeOf(position: number | undefined, text: string): string {
  if (position === undefined) return '';
  const { line, column } = new LineIndex(text).at(position);
  return ` (line ${line}, column ${column})`;
}
