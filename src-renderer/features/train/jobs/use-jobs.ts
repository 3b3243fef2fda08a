import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { TrainingJob } from '../../../../proto/gen/core/hub/v1/training.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { mayDo, organizationPlace } from '../../../shared/machine/rights.ts';
import { usePolled } from '../../../shared/machine/use-polled.ts';
import { useFleet } from '../../../shared/stores/fleet.ts';
import { isFinished } from './job-facts.ts';

/** Intervals of reading the list: while a job is unfinished, and otherwise. */
const busyMs = 1_000;
const idleMs = 4_000;
/** The interval is at least this many times as long as the last read took, so that many jobs do not load the hub. */
const restFactor = 5;

/** Organizations in which the caller may train; undefined until they are known. */
export function useTrainingPlaces() {
  const fleet = useFleet();
  return computed(() => {
    const { organizations, locations } = fleet.places;
    if (fleet.hub === undefined || organizations.length === 0) return undefined;
    const { caller } = fleet.hub;
    return organizations.filter(({ id }) => mayDo('training.manage', organizationPlace(id), caller, locations));
  });
}

/** All jobs that the caller may see, the newest first, kept up to date, and the names of their datasets. */
export function useJobs(organizationIds: () => readonly string[]) {
  const { datasets, training } = useFleetCalls();
  const ids = computed(() => organizationIds().join(' '));
  const question = computed(() => {
    const wanted = ids.value === '' ? [] : ids.value.split(' ');
    if (wanted.length === 0) return undefined;
    let tookMs = 0;
    return {
      async ask(signal: AbortSignal): Promise<readonly TrainingJob[]> {
        const began = performance.now();
        const lists = await Promise.all(wanted.map((id) => training.list(id, signal)));
        tookMs = performance.now() - began;
        const created = ({ metadata }: TrainingJob): number => metadata?.createdOn?.getTime() ?? 0;
        return wanted.length === 1 ? (lists[0] ?? []) : lists.flat().sort((a, b) => created(b) - created(a));
      },
      restMs: (jobs: readonly TrainingJob[] | undefined) =>
        Math.max(jobs?.every(isFinished) === false ? busyMs : idleMs, restFactor * tookMs),
    };
  });
  const { view, refresh } = usePolled<readonly TrainingJob[]>(() => question.value);

  const names = shallowRef<ReadonlyMap<string, string>>(new Map());
  /** Whether the names have been read. */
  const hasNames = ref(false);
  let asking: AbortController | undefined;
  /** Ids of datasets that were not found. */
  const gone = new Set<string>();
  const unknown = computed(() =>
    (view.value.value ?? [])
      .map(({ metadata }) => metadata?.datasetId ?? '')
      .filter((id) => id !== '' && !names.value.has(id))
      .join(' '),
  );
  async function readNames(): Promise<void> {
    const wanted = unknown.value.split(' ').filter((id) => id !== '' && !gone.has(id));
    if (wanted.length === 0 || ids.value === '') return;
    asking?.abort();
    const { signal } = (asking = new AbortController());
    try {
      const lists = await Promise.all(ids.value.split(' ').map((id) => datasets.list(id, signal)));
      if (signal.aborted) return;
      names.value = new Map(lists.flat().map(({ id, name }) => [id, name]));
      for (const id of wanted) if (!names.value.has(id)) gone.add(id);
      hasNames.value = true;
    } catch {
      // The list itself reports problems with the hub. The names are read again with the next unknown id.
    }
  }
  watch(unknown, readNames);
  onScopeDispose(() => asking?.abort());

  return {
    view,
    refresh,
    /** '' for a dataset that was deleted or is not known yet. */
    datasetName: (id: string): string => names.value.get(id) ?? '',
    hasNames,
  };
}
