import { computed, onScopeDispose, ref, shallowReactive, shallowRef, watch } from 'vue';
import type { DatasetCounts } from '../../../../../proto/config/datasets/training-rules.ts';
import type { BinaryMetadata } from '../../../../../proto/gen/core/app/data/v1/data.ts';
import type { Dataset } from '../../../../../proto/gen/core/app/dataset/v1/dataset.ts';
import type { DatasetFilter, DatasetPictures } from '../../../../shared/machine/data/dataset-calls.ts';
import { useFleetCalls } from '../../../../shared/machine/fleet.ts';
import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';
import { useConnection } from '../../../../shared/stores/connection.ts';
import { PictureBytes } from '../../pictures/picture-bytes.ts';
import type { Size } from './box-geometry.ts';
import { beginHistory } from './label-history.ts';
import { LabelStore } from './label-store.ts';
import { labelsOf, noLabels, type PictureLabels } from './picture-labels.ts';
import { pageClock } from './saving-clock.ts';
import { keepUnsaved, keptUnsaved } from './unsaved-labels.ts';

/** A picture as it is drawn. */
export interface ShownPicture {
  readonly id: string;
  readonly url: string;
  readonly size: Size;
}

/** The pictures of a dataset one after the other, with their labels. Follows which one is asked for. */
export function useLabelling(datasetId: string, filter: DatasetFilter, asked: () => string) {
  const { data, datasets } = useFleetCalls();
  const bytes = new PictureBytes(data);
  const controller = new AbortController();
  const { signal } = controller;
  const dataset = shallowRef<Dataset>();
  const counts = shallowRef<DatasetCounts>();
  const pictures = shallowRef<DatasetPictures>();
  const problem = ref('');
  const metadata = shallowReactive(new Map<string, BinaryMetadata>());
  const shown = shallowRef<ShownPicture>();
  const pictureProblem = ref('');
  /** Whether what is not saved would be there after a reload. */
  let isKept = true;

  const changes = ref(0);
  const store = new LabelStore({
    save: (binaryDataId, { put, remove, addTags, removeTags }) =>
      datasets.changeLabels({
        binaryDataId,
        putBoxes: put.map(({ id, label, edges }) => ({
          ...{ id, label, xMinNormalized: edges.left, yMinNormalized: edges.top },
          ...{ xMaxNormalized: edges.right, yMaxNormalized: edges.bottom },
        })),
        removeBoxIds: [...remove],
        addTags: [...addTags],
        removeTags: [...removeTags],
      }),
    reasonOf: messageOf,
    clock: pageClock,
    onChange: () => (changes.value += 1),
    keep: (unsaved) => (isKept = keepUnsaved(datasetId, unsaved)),
    kept: keptUnsaved(datasetId),
  });

  const ids = computed(() => pictures.value?.ids ?? []);
  /** The one that an address names may be beyond the filter, or the filter may have let go of it. */
  const current = computed(() => asked() || (ids.value[0] ?? ''));
  const index = computed(() => ids.value.indexOf(current.value));
  const history = computed(() => (void changes.value, store.history(current.value) ?? beginHistory(noLabels)));
  const state = computed(() => {
    void changes.value;
    const { problem: reason, unsaved } = store;
    const isSaving = unsaved.some((id) => store.stateOf(id) === 'saving');
    const kind = reason !== '' && !isSaving ? 'failed' : isSaving ? 'saving' : unsaved.length > 0 ? 'changed' : 'saved';
    return { kind, reason, count: unsaved.length } as const;
  });

  async function load(): Promise<void> {
    problem.value = '';
    try {
      [dataset.value, counts.value, pictures.value] = await Promise.all([
        datasets.get(datasetId, signal),
        datasets.count(datasetId, signal),
        datasets.pictures(datasetId, filter, signal),
      ]);
      // What was left unsaved before a reload is saved now, without its picture being looked at.
      const left = store.unsaved;
      for (let at = 0; at < left.length; at += 1_000) await know(left.slice(at, at + 1_000));
    } catch (thrown) {
      if (!signal.aborted) problem.value = messageOf(thrown);
    }
  }

  /** Reads what the hub says of pictures, once. */
  async function know(wanted: readonly string[]): Promise<void> {
    const missing = wanted.filter((id) => !metadata.has(id));
    for (const each of await datasets.metadata(missing, signal)) {
      metadata.set(each.binaryDataId, each);
      store.open(each.binaryDataId, labelsOf(each));
    }
  }

  /** Labels of a picture as they are here, which may be newer than the hub's. */
  async function labels(id: string): Promise<PictureLabels> {
    await know([id]);
    return store.history(id)?.present ?? noLabels;
  }

  let loading = 0;
  async function show(id: string): Promise<void> {
    const own = ++loading;
    pictureProblem.value = '';
    if (id === '') return;
    try {
      const at = ids.value.indexOf(id);
      const near = at < 0 ? [id] : ids.value.slice(Math.max(0, at - 1), at + 3);
      await know(near.includes(id) ? near : [id]);
      const found = metadata.get(id);
      if (own !== loading) return;
      if (found === undefined) throw new Error('It is not there any more, or you may not see it.');
      const url = URL.createObjectURL(await bytes.get(found));
      try {
        const image = new Image();
        image.src = url;
        await image.decode();
        if (own !== loading) throw new Error('Another picture is shown.');
        release();
        shown.value = { id, url, size: { width: image.naturalWidth, height: image.naturalHeight } };
      } catch (thrown) {
        URL.revokeObjectURL(url);
        throw thrown;
      }
      bytes.keep(new Set(near));
      // Those that come next are there when they are asked for.
      for (const next of near) {
        const each = metadata.get(next);
        if (each !== undefined && next !== id) bytes.get(each).catch(() => undefined);
      }
    } catch (thrown) {
      if (own === loading && !signal.aborted) pictureProblem.value = messageOf(thrown);
    }
  }

  function release(): void {
    if (shown.value !== undefined) URL.revokeObjectURL(shown.value.url);
    shown.value = undefined;
  }

  watch(
    () => [current.value, pictures.value] as const,
    ([id], before) => {
      if (before !== undefined && before[0] !== id) void store.saveAll();
      if (pictures.value !== undefined && shown.value?.id !== id) void show(id);
    },
    { immediate: true },
  );
  const connection = useConnection();
  // Also when it is there again: what waits for it does so no longer than it has to.
  watch(
    () => connection.isConnected,
    (isConnected) => {
      if (!isConnected) return;
      if (pictures.value === undefined) void load();
      else if (pictureProblem.value !== '') void show(current.value);
      void store.saveAll();
    },
    { immediate: true },
  );

  function onBeforeUnload(event: BeforeUnloadEvent): void {
    if (store.unsaved.length > 0) event.preventDefault();
  }
  window.addEventListener('beforeunload', onBeforeUnload);

  onScopeDispose(() => {
    window.removeEventListener('beforeunload', onBeforeUnload);
    store.close();
    controller.abort();
    bytes.close();
    release();
  });

  return {
    ...{ dataset, counts, pictures, problem, load, ids, current, index, shown, pictureProblem, history, state, store },
    labels,
    again: () => show(current.value),
    /** Saves before the screen is left. @returns whether nothing is lost by leaving */
    leave: async (): Promise<boolean> => {
      await store.saveAll();
      return store.unsaved.length === 0 || isKept;
    },
  };
}
