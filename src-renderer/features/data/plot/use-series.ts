import { onScopeDispose, shallowRef, watch, type Ref } from 'vue';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Grid, SeriesValues } from '../../../shared/plot/series-grid.ts';
import { readSeries, type SeriesWanted } from './series-reader.ts';

export interface SeriesView {
  readonly grid: Grid;
  readonly values: SeriesValues | undefined;
  /** Share that is here, 0 to 1. */
  readonly share: number;
  /** Stretches that the hub could not read to their end. */
  readonly left: number;
  readonly problem: string;
}

/** A series for a component: read anew whenever what is wanted changes; undefined while nothing is. */
export function useSeries(wanted: Readonly<Ref<SeriesWanted | undefined>>): Readonly<Ref<SeriesView | undefined>> {
  const { data } = useFleetCalls();
  const view = shallowRef<SeriesView>();
  let reading: AbortController | undefined;

  async function read(series: SeriesWanted, own: AbortController): Promise<void> {
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
