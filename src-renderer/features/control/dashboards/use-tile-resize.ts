import { onScopeDispose, ref } from 'vue';
import { COLUMNS } from '../../../../proto/config/dashboards/dashboard-limits.ts';
import type { Tile } from '../../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { ROW_PX } from './tiles.ts';

/** Which edge is dragged. */
export type Edge = 'width' | 'height';

/**
 * Changes the size of a tile by dragging its right or lower edge; Esc gives back the size that it had.
 * @param change gives a tile another size
 */
export function useTileResize(change: (id: string, size: { readonly width?: number; readonly rows?: number }) => void) {
  /** Id of the tile that is being resized; '' for none. */
  const resized = ref('');
  let listeners = new AbortController();

  function end(): void {
    listeners.abort();
    resized.value = '';
  }
  onScopeDispose(end);

  function onPointerdown(down: PointerEvent, tile: Tile, edge: Edge): void {
    const content = (down.currentTarget as Element).closest('li')?.querySelector('.content');
    const list = (down.currentTarget as Element).closest('ul');
    if (down.button !== 0 || content === null || content === undefined || list === null) return;
    // No text is selected meanwhile.
    down.preventDefault();
    end();
    listeners = new AbortController();
    const { signal } = listeners;
    const { left, top } = content.getBoundingClientRect();
    const { gridTemplateColumns, columnGap } = getComputedStyle(list);
    const columns = gridTemplateColumns.split(' ').length;
    const gap = Number.parseFloat(columnGap);
    const columnPx = (list.clientWidth + gap) / columns;
    resized.value = tile.id;

    function onMove({ clientX, clientY }: PointerEvent): void {
      if (edge === 'height') change(tile.id, { rows: Math.max(1, Math.round((clientY - top) / ROW_PX)) });
      // A narrow window has fewer columns, each of which stands for several.
      else change(tile.id, { width: Math.max(1, Math.round((clientX - left + gap) / columnPx)) * (COLUMNS / columns) });
    }

    function onKeydown(event: KeyboardEvent): void {
      if (event.key !== 'Escape') return;
      change(tile.id, { width: tile.width, rows: tile.rows });
      end();
    }

    window.addEventListener('pointermove', onMove, { signal });
    window.addEventListener('pointerup', end, { signal });
    window.addEventListener('pointercancel', end, { signal });
    window.addEventListener('keydown', onKeydown, { capture: true, signal });
  }

  return { resized, onPointerdown };
}
