import { computed, ref, type Ref } from 'vue';
import type { LogFeed } from '../feed/log-feed.ts';
import { indexOfSeq, isGap } from '../feed/log-lines.ts';

interface ListParts {
  readonly feed: () => LogFeed;
  /** Read wherever the lines are read, because they change in place. */
  readonly version: () => number;
  /** Number of rows that fit on the screen. */
  readonly screenLines: () => number;
  /** Scrolls a row into view. */
  readonly show: (index: number) => void;
  readonly showEnd: () => void;
  readonly toggle: (seq: number) => void;
}

export interface LineKeys {
  /** Number of the active line; undefined before the first key. */
  readonly activeSeq: Ref<number | undefined>;
  /** Its index; -1 if there is none. */
  readonly activeIndex: Readonly<Ref<number>>;
  /** Moves, opens or fills as a key says. @returns whether the key is one of the list */
  press(key: string): boolean;
}

/** The keys of the list: arrows, Page Up and Down, Home, End; Enter opens a line or loads the lines of a gap. */
export function useLineKeys(parts: ListParts): LineKeys {
  const activeSeq = ref<number>();
  const activeIndex = computed(() => {
    const seq = activeSeq.value;
    return parts.version() < 0 || seq === undefined ? -1 : indexOfSeq(parts.feed().lines.items, seq);
  });

  function goTo(index: number): void {
    const feed = parts.feed();
    const { items } = feed.lines;
    const target = Math.max(0, Math.min(index, items.length - 1));
    activeSeq.value = items[target]?.seq;
    const isLast = target === items.length - 1;
    feed.follow(isLast);
    if (isLast) parts.showEnd();
    else parts.show(target);
  }

  function press(key: string): boolean {
    const feed = parts.feed();
    const { length } = feed.lines.items;
    if (length === 0) return false;
    const from = activeIndex.value >= 0 ? activeIndex.value : length;
    const targets: Readonly<Record<string, number>> = {
      ArrowUp: from - 1,
      ArrowDown: from + 1,
      PageUp: from - parts.screenLines(),
      PageDown: from + parts.screenLines(),
      Home: 0,
      End: length - 1,
    };
    const target = targets[key];
    if (target !== undefined) {
      goTo(target);
      return true;
    }
    const item = feed.lines.items[activeIndex.value];
    if ((key !== 'Enter' && key !== ' ') || item === undefined) return false;
    if (isGap(item)) void feed.loadGap(item);
    else parts.toggle(item.seq);
    return true;
  }

  return { activeSeq, activeIndex, press };
}
