import { computed, type Ref } from 'vue';
import { useDrag } from '../../../../shared/lists/use-drag.ts';
import type { ListItem } from '../list-items.ts';
import { dropPlace, siblingsOf, type DropPlace } from './row-places.ts';

interface DragOptions {
  readonly scroller: Readonly<Ref<HTMLElement | null>>;
  readonly items: () => readonly ListItem[];
  /** Offset of each line in the scrolled list, and of its end. */
  readonly starts: () => readonly number[];
  readonly canMove: () => boolean;
  readonly drop: (key: string, index: number) => void;
}

/** Drags a row to another place of its group. */
export function useRowDrag({ scroller, items, starts, canMove, drop }: DragOptions) {
  const { dragged, place, onPointerdown } = useDrag<DropPlace>({
    scroller: () => scroller.value,
    mayDrag: (key) => canMove() && siblingsOf(items(), key).length > 1,
    placeAt(key, { clientX, clientY }) {
      const { value: list } = scroller;
      if (list === null) return undefined;
      const box = list.getBoundingClientRect();
      if (clientX < box.left || clientX > box.right) return undefined;
      return dropPlace(siblingsOf(items(), key), key, clientY - box.top + list.scrollTop, starts());
    },
    drop: (key, { index }) => drop(key, index),
  });
  return { dragged, line: computed(() => place.value?.line), onPointerdown };
}
