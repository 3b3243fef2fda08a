import { nextTick, type Ref } from 'vue';
import { useCopy } from '../transfer/use-copy.ts';
import { useDocumentEvent } from '../transfer/use-document-event.ts';
import { takesText } from '../../../shared/commands/typing.ts';
import type { DocumentEntry } from '../document/document-model.ts';
import { itemAfter, stepOf, type ListItem } from './list-items.ts';
import { siblingsOf, stepIndex } from './reordering/row-places.ts';
import { useReorder } from './reordering/use-reorder.ts';
import { useRowDrag } from './reordering/use-row-drag.ts';
import { isModHeld, isSelectable, type useSelection } from './selecting/use-selection.ts';

interface ListOptions {
  /** The whole column: where Ctrl+C copies resources. */
  readonly root: Readonly<Ref<HTMLElement | null>>;
  readonly scroller: Readonly<Ref<HTMLElement | null>>;
  readonly items: Readonly<Ref<readonly ListItem[]>>;
  /** Offset of each line in the scrolled list, and of its end. */
  readonly starts: Readonly<Ref<readonly number[]>>;
  /** Index of the line that Tab reaches. */
  readonly stop: Readonly<Ref<number>>;
  readonly selection: ReturnType<typeof useSelection>;
  readonly isReadOnly: () => boolean;
  /** Gives a line the focus. */
  readonly moveTo: (index: number) => Promise<void>;
  readonly remove: (entries: readonly DocumentEntry[]) => void;
}

/** What keys, the clipboard and dragging do in the list: with the selected rows, or else with the focused one. */
export function useListActions(options: ListOptions) {
  const { root, scroller, items, starts, stop, selection, isReadOnly, moveTo, remove } = options;
  const reorder = useReorder();
  const copying = useCopy();
  /** Counts the presses of the keys that move a row: those that a held key repeats are one undo step. */
  let presses = 0;

  function entryOf(item: ListItem | undefined): DocumentEntry | undefined {
    return item?.kind === 'row' && isSelectable(item) ? item.row.entry : undefined;
  }

  function targets(): readonly DocumentEntry[] {
    const entries = selection.rows.value.flatMap(({ entry }) => entry ?? []);
    const focused = entryOf(items.value[stop.value]);
    return entries.length > 0 || focused === undefined ? entries : [focused];
  }

  async function reorderTo(entry: DocumentEntry, index: number | undefined, step: 1 | -1, group = ''): Promise<void> {
    if (isReadOnly()) return;
    reorder.move(entry, index, step, group);
    await nextTick();
    const at = items.value.findIndex((item) => {
      const found = entryOf(item);
      return found?.section === entry.section && found.index === index;
    });
    if (at >= 0) await moveTo(at);
  }

  function onMoveKey(step: 1 | -1, isRepeated: boolean): void {
    const item = items.value[stop.value];
    const entry = entryOf(item);
    if (item === undefined || entry === undefined) return;
    if (!isRepeated) presses += 1;
    const index = stepIndex(siblingsOf(items.value, item.key), item.key, step);
    void reorderTo(entry, index, step, `move ${presses}`);
  }

  function onStepKey(step: number, isRange: boolean): void {
    const from = items.value[stop.value];
    const next = itemAfter(items.value, stop.value, step);
    const to = items.value[next];
    if (isRange && from !== undefined && to !== undefined) selection.extend(from.key, to.key);
    void moveTo(next);
  }

  useDocumentEvent('copy', (event) => {
    const { activeElement } = document;
    if (root.value?.contains(activeElement) !== true || takesText(activeElement ?? undefined)) return;
    copying.putInto(event, targets());
  });

  function onKeydown(event: KeyboardEvent): void {
    const step = stepOf(event.key);
    if (event.altKey) {
      if (step !== 1 && step !== -1) return;
      onMoveKey(step, event.repeat);
    } else if (step !== undefined) onStepKey(step, event.shiftKey);
    else if (event.key === 'Delete' && targets().length > 0) remove(targets());
    else if (event.ctrlKey && event.key === ' ') selection.toggle(items.value[stop.value]?.key ?? '');
    else if (isModHeld(event) && event.key.toLowerCase() === 'a') selection.selectAll();
    else return;
    event.preventDefault();
  }

  return {
    copy: (): void => void copying.copy(targets()),
    remove: (): void => remove(targets()),
    drag: useRowDrag({
      scroller,
      items: () => items.value,
      starts: () => starts.value,
      canMove: () => !isReadOnly(),
      drop(key, index) {
        const entry = entryOf(items.value.find((item) => item.key === key));
        if (entry !== undefined && entry.index !== index) void reorderTo(entry, index, 1);
      },
    }),
    onKeydown,
  };
}
