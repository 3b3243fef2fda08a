import { computed, ref, type Ref } from 'vue';
import type { LogFeed } from '../feed/log-feed.ts';
import { indexOfSeq, isGap } from '../feed/log-lines.ts';

interface ListParts {
  readonly feed: () => LogFeed;
  /** Read wherever the lines are: they change in place. */
  readonly version: () => number;
  /** Lines that fit on the screen. */
  readonly screenLines: () => number;
  /** Brings a line onto the screen. */
  readonly show: (index: number) => void;
  readonly showEnd: () => void;
  readonly toggle: (seq: number) => void;
}

export interface LineKeys {
  /** Number of the line that the keys are at; undefined before. */
  readonly activeSeq: Ref<number | undefined>;
  /** Its place, -1 where there is none. */
  readonly activeIndex: Readonly<Ref<number>>;
  /** Moves or opens as a key says. @returns whether it was one of ours */
  press(key: string): boolean;
}

/** The keys of the list: arrows, Page Up and Down, Home, End; Enter opens a line, or reads what a gap lacks. */
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
