import { defaultRangeExtractor, useVirtualizer } from '@tanstack/vue-virtual';
import { computed, watch, type Ref } from 'vue';
import { touchQuery, useMedia } from '../../../shared/use-media.ts';
import type { ListItem } from './list-items.ts';
import { startsOf } from './reordering/row-places.ts';

/** Height of the bar that lies over the last lines while several are selected, in pixels. */
const barHeight = 140;

interface LinesOptions {
  readonly items: Readonly<Ref<readonly ListItem[]>>;
  readonly scroller: Readonly<Ref<HTMLElement | null>>;
  /** Index of the line that Tab reaches: it stays drawn, also when it is scrolled out of view. */
  readonly stop: Readonly<Ref<number>>;
  readonly hasBar: Readonly<Ref<boolean>>;
}

/** The lines of the list that are in view, and their places. */
export function useDrawnLines({ items, scroller, stop, hasBar }: LinesOptions) {
  const isTouched = useMedia(touchQuery);
  /** Heights of the lines, in pixels. */
  const heights = computed(() => ({ heading: 36, row: 50, page: isTouched.value ? 44 : 34 }));
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: items.value.length,
      scrollPaddingEnd: hasBar.value ? barHeight : 0,
      getScrollElement: () => scroller.value,
      estimateSize: (index: number) => heights.value[items.value[index]?.kind ?? 'row'],
      getItemKey: (index: number) => items.value[index]?.key ?? index,
      overscan: 6,
      rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const shown = defaultRangeExtractor(range);
        return stop.value < 0 || shown.includes(stop.value) ? shown : [...shown, stop.value].sort((a, b) => a - b);
      },
    })),
  );

  watch(heights, () => virtualizer.value.measure());

  return {
    drawn: computed(() =>
      virtualizer.value.getVirtualItems().flatMap(({ index, start, size }) => {
        const item = items.value[index];
        return item === undefined ? [] : [{ item, index, start, size }];
      }),
    ),
    height: computed(() => virtualizer.value.getTotalSize()),
    /** Offset of each line, and of the end of the list. */
    starts: computed(() => startsOf(items.value.map(({ kind }) => heights.value[kind]))),
    scrollTo: (index: number): void => virtualizer.value.scrollToIndex(index, { align: 'auto' }),
  };
}
