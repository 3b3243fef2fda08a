import { computed, onScopeDispose, ref, shallowRef, type Ref } from 'vue';
import type { ListItem } from '../list-items.ts';
import { dropPlace, siblingsOf, type DropPlace } from './row-places.ts';

/** A pointer that moves less than this clicks, in pixels. */
const minDistance = 6;
/** At this distance from an edge of the list, a dragged row scrolls it. */
const edge = 28;
/** Pixels that the list scrolls in a frame. */
const scrollStep = 9;

interface DragOptions {
  readonly scroller: Readonly<Ref<HTMLElement | null>>;
  readonly items: () => readonly ListItem[];
  /** Offset of each line in the scrolled list, and of its end. */
  readonly starts: () => readonly number[];
  readonly canMove: () => boolean;
  readonly drop: (key: string, index: number) => void;
}

/**
 * Drags a row to another place of its group, with a mouse or a pen: a finger scrolls. Esc, or letting go outside of the
 * list, leaves the row where it is; Esc stops the machine as well, as everywhere.
 */
export function useRowDrag({ scroller, items, starts, canMove, drop }: DragOptions) {
  /** Key of the dragged row; '' for none. */
  const dragged = ref('');
  const place = shallowRef<DropPlace>();
  let listeners = new AbortController();
  let frame = 0;

  function end(): void {
    listeners.abort();
    cancelAnimationFrame(frame);
    dragged.value = '';
    place.value = undefined;
  }
  onScopeDispose(end);

  function onPointerdown(down: PointerEvent, key: string): void {
    if (down.button !== 0 || down.pointerType === 'touch' || !canMove()) return;
    if (down.ctrlKey || down.metaKey || down.shiftKey || down.altKey) return;
    if (siblingsOf(items(), key).length < 2) return;
    end();
    listeners = new AbortController();
    const { signal } = listeners;
    let last: PointerEvent = down;

    function follow(): void {
      const box = scroller.value?.getBoundingClientRect();
      if (scroller.value === null || box === undefined) return;
      const isInside = last.clientX >= box.left && last.clientX <= box.right;
      const offset = last.clientY - box.top + scroller.value.scrollTop;
      place.value = isInside ? dropPlace(siblingsOf(items(), key), key, offset, starts()) : undefined;
      if (!isInside) return;
      if (last.clientY < box.top + edge) scroller.value.scrollTop -= scrollStep;
      else if (last.clientY > box.bottom - edge) scroller.value.scrollTop += scrollStep;
    }

    function followOn(): void {
      follow();
      frame = requestAnimationFrame(followOn);
    }

    function onMove(move: PointerEvent): void {
      last = move;
      const distance = Math.hypot(move.clientX - down.clientX, move.clientY - down.clientY);
      if (dragged.value !== '' || distance < minDistance) return;
      dragged.value = key;
      followOn();
    }

    function onUp(up: PointerEvent): void {
      last = up;
      const isDragged = dragged.value !== '';
      if (isDragged) follow();
      const index = place.value?.index;
      end();
      if (!isDragged) return;
      skipNextClick();
      if (index !== undefined) drop(key, index);
    }

    window.addEventListener('pointermove', onMove, { signal });
    window.addEventListener('pointerup', onUp, { signal });
    window.addEventListener('pointercancel', end, { signal });
    window.addEventListener('keydown', (event) => event.key === 'Escape' && end(), { capture: true, signal });
  }

  return { dragged, line: computed(() => place.value?.line), onPointerdown };
}

/** The click that ends a drag must not open the row under it. */
function skipNextClick(): void {
  const skip = (event: MouseEvent): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener('click', skip, { capture: true, once: true });
  setTimeout(() => window.removeEventListener('click', skip, { capture: true }));
}
