import { computed, nextTick, ref, watch, type Ref } from 'vue';
import { useRoute, useRouter, type RouteLocationRaw } from 'vue-router';
import { placeOfProblem } from '../../../../proto/config/problem.ts';
import type { Problem } from '../../../shared/machine/machine-view.ts';
import { isMounting } from '../../../shared/timing/later.ts';
import { useConfigDocument } from '../document/config-document.ts';
import type { DocumentEntry } from '../document/document-model.ts';
import { firstControl } from '../form/first-control.ts';
import { entryAround, resourceRoute } from './entry-address.ts';
import { useResources } from './resource-overview.ts';

/** The part of the text editor that shows places. */
export interface TextPlaces {
  show(offset: number): void;
  showPlace(line: number, column: number): void;
}

/** In a longer text the resource at the cursor is not searched: that would delay typing. */
const MAX_FOLLOWED_LENGTH = 1_000_000;
/** A field that is not drawn after this many frames is in no form. */
const MAX_FRAMES = 20;

/**
 * The place that is shown: the form or the text of a resource, of the machine-wide settings or of the whole machine. It
 * comes from the URL; in the text, the cursor takes precedence.
 */
export function usePlace(editor: Readonly<Ref<TextPlaces | null>>, form: Readonly<Ref<HTMLElement | null>>) {
  const route = useRoute();
  const router = useRouter();
  const config = useConfigDocument();
  const resources = useResources();
  const cursor = ref<number>();

  /** Keeps the last place while another screen is open. */
  const here = computed<{ name: string; address: string; isJson: boolean }>((before) => {
    const name = String(route.name ?? '');
    if (!name.startsWith('configure')) return before ?? { name: 'configure', address: '', isJson: false };
    const address = name === 'configure-resource' ? String(route.params['name'] ?? '') : '';
    return { name, address, isJson: route.query['view'] === 'json' };
  });
  const isJson = computed(() => here.value.isJson);
  /** The route of the place, as form or text; the URL may be that of the help beside it. */
  function placeRoute(inText: boolean): RouteLocationRaw {
    const { name, address } = here.value;
    return { name, params: address === '' ? {} : { name: address }, query: inText ? { view: 'json' } : {} };
  }
  const atCursor = computed(() => {
    if (!isJson.value || cursor.value === undefined || config.text.length > MAX_FOLLOWED_LENGTH) return undefined;
    return entryAround(config.model, cursor.value);
  });
  const row = computed(() => {
    if (atCursor.value !== undefined) return resources.rowAt(resources.addressOf(atCursor.value));
    return here.value.name === 'configure-resource' ? resources.rowAt(here.value.address) : undefined;
  });

  function go(to: RouteLocationRaw): Promise<unknown> {
    return router.push(to);
  }

  /** Switches to the text of the shown page, or to the form of the entry at the cursor. */
  async function switchView(): Promise<void> {
    if (!isJson.value) {
      await go(placeRoute(true));
      return;
    }
    const entry = atCursor.value;
    await go(entry === undefined ? placeRoute(false) : resourceRoute(resources.addressOf(entry)));
  }

  /** Runs as soon as the editor exists: it is loaded when it is first shown. */
  let waiting: ((shown: TextPlaces) => void) | undefined;
  watch(editor, (shown) => {
    if (shown !== null) waiting?.(shown);
    waiting = undefined;
  });

  function inEditor(act: (shown: TextPlaces) => void): void {
    if (editor.value === null) waiting = act;
    else act(editor.value);
  }

  /** Moves the cursor to the resource in the URL. */
  function showInText(): void {
    const entry = row.value?.mark === 'removed' ? undefined : row.value?.entry;
    const place = entry?.name === '' ? entry : config.placeOf(row.value?.name ?? '');
    if (place !== undefined) inEditor((shown) => shown.show(place.from));
  }

  /** The field whose pointer is the longest prefix of `pointer`, and longer than `least`. */
  function fieldOf(pointer: string, least: string): HTMLElement | undefined {
    const fields = [...(form.value?.querySelectorAll<HTMLElement>('[data-pointer]') ?? [])];
    const pointerOf = (field: HTMLElement): string => field.dataset['pointer'] ?? '';
    return fields
      .filter((field) => `${pointer}/`.startsWith(`${pointerOf(field)}/`) && pointerOf(field).length > least.length)
      .reduce<HTMLElement | undefined>(
        (best, field) => (best === undefined || pointerOf(field).length > pointerOf(best).length ? field : best),
        undefined,
      );
  }

  /** Waits for a field: the form of another resource is drawn a few frames after the URL has changed. */
  async function drawn(find: () => HTMLElement | undefined): Promise<HTMLElement | undefined> {
    for (let frame = 0; frame < MAX_FRAMES; frame += 1) {
      await nextTick();
      const field = find();
      // The nearest field may still be mounted.
      if (field !== undefined && !isMounting()) return field;
      await new Promise(requestAnimationFrame);
    }
    return find();
  }

  async function showField(pointer: string, entry: DocumentEntry | undefined): Promise<'shown' | 'absent' | 'left'> {
    const page = pointer.startsWith('/packages') ? 'configure-packages' : 'configure-machine';
    await go(entry === undefined ? { name: page } : resourceRoute(resources.addressOf(entry)));
    const address = route.fullPath;
    const field = await drawn(() => fieldOf(pointer, entry?.pointer ?? ''));
    // If the person has moved on meanwhile, the focus stays there.
    if (route.fullPath !== address) return 'left';
    if (field === undefined) return 'absent';
    field.scrollIntoView({ block: 'center' });
    firstControl(field)?.focus({ preventScroll: true });
    return 'shown';
  }

  /** Opens a new entry. In its form, the first field that needs a value gets the focus. */
  async function showNew(entry: DocumentEntry): Promise<void> {
    await go(resourceRoute(resources.addressOf(entry), isJson.value));
    if (isJson.value) return;
    const address = route.fullPath;
    const inEntry = `[data-pointer^="${entry.pointer}/"]`;
    const first = await drawn(() => form.value?.querySelector<HTMLElement>(inEntry) ?? undefined);
    if (first === undefined || route.fullPath !== address) return;
    firstControl(form.value?.querySelector(`${inEntry}[data-needed]`) ?? first)?.focus();
  }

  /** Goes to the field of a problem, or to its line in the text if no form shows it. */
  async function showProblem(problem: Problem): Promise<void> {
    const pointer = placeOfProblem(problem);
    const entry = config.model.entries.find((other) => `${pointer}/`.startsWith(`${other.pointer}/`));
    if (!isJson.value && !config.isFormStale && pointer !== '') {
      if ((await showField(pointer, entry)) !== 'absent') return;
      // A problem of the entry itself has no field: the form of the entry shows it.
      if (entry !== undefined && problem.pointer === entry.pointer) return;
    }
    if (!isJson.value) await go(placeRoute(true));
    await nextTick();
    inEditor((shown) => shown.showPlace(problem.line, problem.column));
  }

  return { here, placeRoute, isJson, row, cursor, switchView, showInText, showProblem, showNew };
}
