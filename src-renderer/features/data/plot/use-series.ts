import { onScopeDispose, shallowRef, watch, type Ref } from 'vue';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Grid, SeriesValues } from '../../../shared/plot/series-grid.ts';
import { readSeries, type SeriesRequest } from './series-reader.ts';

export interface SeriesView {
  readonly grid: Grid;
  readonly values: SeriesValues | undefined;
  /** Share that is loaded, 0 to 1. */
  readonly share: number;
  /** Number of stretches that the hub could not finish. */
  readonly left: number;
  readonly problem: string;
}

/** Reads a series for a component, again whenever `wanted` changes; undefined before the first values. */
export function useSeries(wanted: Readonly<Ref<SeriesRequest | undefined>>): Readonly<Ref<SeriesView | undefined>> {
  const { data } = useFleetCalls();
  const view = shallowRef<SeriesView>();
  let reading: AbortController | undefined;

  async function read(series: SeriesRequest, own: AbortController): Promise<void> {
    const { grid } = series;
    try {
      for await (const { values, share, left } of readSeries(data, series, own.signal)) {
        if (own.signal.aborted) return;
        const stretches = left.reduce((sum, { start, end }) => sum + end - start, 0);
        view.value = { grid, values, share, left: stretches, problem: '' };
      }
    } catch (thrown) {
      if (own.signal.aborted) return;
      const { values, share = 0, left = 0 } = view.value?.grid === grid ? view.value : {};
      view.value = { grid, values, share, left, problem: messageOf(thrown) };
    }
  }

  watch(
    wanted,
    (series) => {
      reading?.abort();
      if (series === undefined) return;
      reading = new AbortController();
      void read(series, reading);
    },
    { immediate: true },
  );
  onScopeDispose(() => reading?.abort());
  return view;
}
