import { onScopeDispose, ref, shallowRef, type Ref } from 'vue';

/** A pointer that moves less than this clicks, in pixels. */
const minDistance = 6;
/** At this distance from an edge of the list, what is dragged scrolls it. */
const edge = 28;
/** Pixels that the list scrolls in a frame. */
const scrollStep = 9;

interface DragOptions<Place> {
  readonly scroller: () => HTMLElement | null;
  readonly mayDrag: (key: string) => boolean;
  /** Where it would go; undefined where it cannot be dropped. Asked in each frame, because the list may scroll. */
  readonly placeAt: (key: string, pointer: PointerEvent) => Place | undefined;
  readonly drop: (key: string, place: Place) => void;
}

/**
 * Drags something to another place of its list, with a mouse or a pen. A finger scrolls, and drags only where the style
 * `touch-action: none` says that it does not scroll. Esc, or letting go outside of the list, leaves it where it is; Esc
 * stops the machine as well, as everywhere.
 */
export function useDrag<Place>({ scroller, mayDrag, placeAt, drop }: DragOptions<Place>): {
  /** Key of what is dragged; '' for none. */
  readonly dragged: Readonly<Ref<string>>;
  readonly place: Readonly<Ref<Place | undefined>>;
  readonly onPointerdown: (down: PointerEvent, key: string) => void;
} {
  const dragged = ref('');
  const place = shallowRef<Place>();
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
    if (down.button !== 0 || (down.pointerType === 'touch' && scrolls(down.target))) return;
    if (down.ctrlKey || down.metaKey || down.shiftKey || down.altKey) return;
    if (!mayDrag(key)) return;
    end();
    listeners = new AbortController();
    const { signal } = listeners;
    let last: PointerEvent = down;

    function follow(): void {
      const list = scroller();
      if (list === null) return;
      place.value = placeAt(key, last);
      if (place.value === undefined) return;
      const box = list.getBoundingClientRect();
      if (last.clientY < box.top + edge) list.scrollTop -= scrollStep;
      else if (last.clientY > box.bottom - edge) list.scrollTop += scrollStep;
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
      const { value: found } = place;
      end();
      if (!isDragged) return;
      skipNextClick();
      if (found !== undefined) drop(key, found);
    }

    window.addEventListener('pointermove', onMove, { signal });
    window.addEventListener('pointerup', onUp, { signal });
    window.addEventListener('pointercancel', end, { signal });
    window.addEventListener('keydown', (event) => event.key === 'Escape' && end(), { capture: true, signal });
  }

  return { dragged, place, onPointerdown };
}

function scrolls(target: EventTarget | null): boolean {
  return !(target instanceof Element) || getComputedStyle(target).touchAction !== 'none';
}

/** The click that ends a drag must not press what is under it. */
function skipNextClick(): void {
  const skip = (event: MouseEvent): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener('click', skip, { capture: true, once: true });
  setTimeout(() => window.removeEventListener('click', skip, { capture: true }));
}
