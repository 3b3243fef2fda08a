import { onScopeDispose, ref, shallowRef, type Ref } from 'vue';
import type { QueryMistake, QueryTable } from '../../../shared/machine/data/data-calls.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';

/** Most rows that are shown. */
export const MAX_SHOWN_ROWS = 1_000;
/** Most rows in a saved file: the limit of a hub. */
export const MAX_SAVED_ROWS = 10_000;

/** A query that was run, and its outcome. */
export interface QueryRun {
  readonly organizationId: string;
  readonly sql: string;
  readonly table: QueryTable | undefined;
  readonly mistake: QueryMistake | undefined;
  /** Why there is neither a table nor a mistake; '' otherwise. */
  readonly failure: string;
  /** Time from the press to the response, ms. */
  readonly tookMs: number;
}

/** Runs queries, one at a time: a new one cancels the one before. */
export interface QueryRuns {
  readonly ran: Readonly<Ref<QueryRun | undefined>>;
  readonly isRunning: Readonly<Ref<boolean>>;
  readonly run: (organizationId: string, sql: string) => Promise<void>;
  readonly stop: () => void;
  /** Gives the result of the last query with up to {@link MAX_SAVED_ROWS} rows. */
  readonly whole: () => Promise<QueryTable>;
}

export function useQuery(): QueryRuns {
  const { data } = useFleetCalls();
  const ran = shallowRef<QueryRun>();
  const isRunning = ref(false);
  let asking: AbortController | undefined;
  const closing = new AbortController();
  onScopeDispose(() => {
    asking?.abort();
    closing.abort();
  });

  return {
    ran,
    isRunning,

    async run(organizationId, sql) {
      asking?.abort();
      const own = (asking = new AbortController());
      isRunning.value = true;
      const startedAt = performance.now();
      const end = (outcome: Partial<QueryRun>): void => {
        if (own.signal.aborted) return;
        const nothing = { table: undefined, mistake: undefined, failure: '' };
        ran.value = { organizationId, sql, ...nothing, tookMs: performance.now() - startedAt, ...outcome };
        isRunning.value = false;
      };
      try {
        const outcome = await data.query(organizationId, sql, MAX_SHOWN_ROWS, own.signal);
        end(outcome.kind === 'table' ? { table: outcome } : { mistake: outcome });
      } catch (thrown) {
        end({ failure: messageOf(thrown) });
      }
    },

    stop() {
      asking?.abort();
      isRunning.value = false;
    },

    async whole() {
      const { organizationId = '', sql = '', table } = ran.value ?? {};
      if (table !== undefined && !table.isCut) return table;
      const outcome = await data.query(organizationId, sql, MAX_SAVED_ROWS, closing.signal);
      if (outcome.kind === 'table') return outcome;
      throw new Error(outcome.message);
    },
  };
}
