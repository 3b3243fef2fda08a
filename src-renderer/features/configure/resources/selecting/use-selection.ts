import { computed, ref, shallowRef, watch, type Ref } from 'vue';
import { isMac } from '../../../../shared/commands/chords.ts';
import { useText } from '../../../../shared/text.ts';
import type { ListItem } from '../list-items.ts';
import type { ResourceRow } from '../resource-rows.ts';
import { all, anchoredAt, emptySelection, extended, shownIn, toggled } from './selection.ts';

/** Whether a row is an entry of the draft: only these can be selected. */
export function isSelectable(item: ListItem | undefined): boolean {
  return item?.kind === 'row' && item.row.entry !== undefined && item.row.mark !== 'removed';
}

/** Whether Ctrl is held, on a Mac Command. */
export function isModHeld({ ctrlKey, metaKey }: Pick<MouseEvent, 'ctrlKey' | 'metaKey'>): boolean {
  return isMac ? metaKey : ctrlKey;
}

/** The selected rows of the list. What is selected is never what is open: a link is followed by a plain click or Enter. */
export function useSelection(items: Readonly<Ref<readonly ListItem[]>>, opened: () => string) {
  const t = useText();
  const selection = shallowRef(emptySelection);
  const order = computed(() => items.value.filter(isSelectable).map(({ key }) => key));
  const shown = computed(() => new Set(shownIn(selection.value, order.value)));
  const rows = computed((): readonly ResourceRow[] =>
    items.value.flatMap((item) => (item.kind === 'row' && shown.value.has(item.key) ? [item.row] : [])),
  );
  /** For screen readers. */
  const said = ref('');
  watch(
    () => shown.value.size,
    (count) => (said.value = count === 0 ? t('selecting.none') : t('selecting.count', { count })),
  );

  return {
    rows,
    said,
    has: (key: string): boolean => shown.value.has(key),
    /** Handles a click on a row; true if it selects instead of opening the row. */
    click(event: MouseEvent, key: string): boolean {
      const isMod = isModHeld(event);
      if (!order.value.includes(key) || !(event.shiftKey || isMod)) {
        selection.value = anchoredAt(key);
        return false;
      }
      // The browser would open the link in another tab or window.
      event.preventDefault();
      selection.value = event.shiftKey
        ? extended(selection.value, order.value, key, opened())
        : toggled(selection.value, key);
      return true;
    },
    toggle(key: string): void {
      if (order.value.includes(key)) selection.value = toggled(selection.value, key);
    },
    /** Selects from one row to another by keyboard: goes on with the last range, or begins at `from`. */
    extend(from: string, to: string): void {
      const before = selection.value.lead === from && selection.value.keys.has(from) ? selection.value : emptySelection;
      if (order.value.includes(to)) selection.value = extended(before, order.value, to, from);
    },
    selectAll(): void {
      selection.value = all(selection.value, order.value);
    },
    clear(): void {
      selection.value = emptySelection;
    },
  };
}
