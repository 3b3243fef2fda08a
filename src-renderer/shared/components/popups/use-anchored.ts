import { nextTick, onScopeDispose, ref, watch, type Ref } from 'vue';

const gapPx = 4;
const edgePx = 8;
const MAX_HEIGHT_PX = 340;

/**
 * Keeps a popup below its anchor, or above it if there is more room. The popup is in the browser's top layer
 * (`popover="manual"`): nothing clips it, and inside a dialog it is part of the dialog.
 */
export function useAnchored(
  isOpen: Readonly<Ref<boolean>>,
  anchor: Readonly<Ref<HTMLElement | null>>,
  popup: Readonly<Ref<HTMLElement | null>>,
): Readonly<Ref<Readonly<Record<string, string>>>> {
  const place = ref<Record<string, string>>({});

  function compute(): void {
    if (anchor.value === null) return;
    const box = anchor.value.getBoundingClientRect();
    const below = window.innerHeight - box.bottom - gapPx - edgePx;
    const above = box.top - gapPx - edgePx;
    const isAbove = below < Math.min(MAX_HEIGHT_PX, 200) && above > below;
    place.value = {
      left: `${box.left}px`,
      minWidth: `${box.width}px`,
      maxWidth: `${Math.max(box.width, window.innerWidth - box.left - edgePx)}px`,
      maxHeight: `${Math.max(80, Math.min(MAX_HEIGHT_PX, isAbove ? above : below))}px`,
      ...(isAbove
        ? { bottom: `${window.innerHeight - box.top + gapPx}px`, top: 'auto' }
        : { top: `${box.bottom + gapPx}px`, bottom: 'auto' }),
    };
  }

  function onScroll(event: Event): void {
    if (event.target instanceof Node && popup.value?.contains(event.target) !== true) compute();
  }

  function unlisten(): void {
    window.removeEventListener('scroll', onScroll, true);
    window.removeEventListener('resize', compute);
  }

  watch(isOpen, async (opened) => {
    unlisten();
    if (!opened) return;
    compute();
    window.addEventListener('scroll', onScroll, true);
    window.addEventListener('resize', compute);
    await nextTick();
    popup.value?.showPopover();
  });
  onScopeDispose(unlisten);
  return place;
}
