import { onScopeDispose, ref, shallowRef, type Ref } from 'vue';
import type { QueryMistake, QueryTable } from '../../../shared/machine/data/data-calls.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';

/** Rows that are shown: more are not read by anybody. */
export const shownRows = 1_000;
/** Rows that a file may have: the most that a hub gives. */
export const savedRows = 10_000;

/** A query that was run, and its answer. */
export interface Ran {
  readonly organizationId: string;
  readonly sql: string;
  readonly table: QueryTable | undefined;
  readonly mistake: QueryMistake | undefined;
  /** Why there is neither; '' where there is one. */
  readonly failure: string;
  /** From the press to the answer, ms. */
  readonly tookMs: number;
}

/** Queries from a box, one at a time: another one takes the place of one that is under way. */
export interface QueryRuns {
  readonly ran: Readonly<Ref<Ran | undefined>>;
  readonly isRunning: Readonly<Ref<boolean>>;
  readonly run: (organizationId: string, sql: string) => Promise<void>;
  readonly stop: () => void;
  /** What was run last with as many rows as a file may have. */
  readonly whole: () => Promise<QueryTable>;
}

export function useQuery(): QueryRuns {
  const { data } = useFleetCalls();
  const ran = shallowRef<Ran>();
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
      const begunAt = performance.now();
      const end = (outcome: Partial<Ran>): void => {
        if (own.signal.aborted) return;
        const nothing = { table: undefined, mistake: undefined, failure: '' };
        ran.value = { organizationId, sql, ...nothing, tookMs: performance.now() - begunAt, ...outcome };
        isRunning.value = false;
      };
      try {
        const outcome = await data.query(organizationId, sql, shownRows, own.signal);
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
      const outcome = await data.query(organizationId, sql, savedRows, closing.signal);
      if (outcome.kind === 'table') return outcome;
      throw new Error(outcome.message);
    },
  };
}
