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

/** A loaded picture, ready to be drawn. */
export interface ShownPicture {
  readonly id: string;
  readonly url: string;
  readonly size: Size;
}

/**
 * Loads the pictures of a dataset, one at a time, with their labels.
 * @param asked id of the picture to show; '' for the first one of the filter
 */
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
  /** Whether the browser has stored the unsaved changes, so that they survive a reload. */
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
  /** Id of the shown picture. One that the address names may not match the filter. */
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
      // Changes that were unsaved before a reload are saved now, without opening their pictures.
      const left = store.unsaved;
      for (let at = 0; at < left.length; at += 1_000) await loadMetadata(left.slice(at, at + 1_000));
    } catch (thrown) {
      if (!signal.aborted) problem.value = messageOf(thrown);
    }
  }

  /** Loads the metadata of pictures from the hub, once each, and opens their labels. */
  async function loadMetadata(wanted: readonly string[]): Promise<void> {
    const missing = wanted.filter((id) => !metadata.has(id));
    for (const each of await datasets.metadata(missing, signal)) {
      metadata.set(each.binaryDataId, each);
      store.open(each.binaryDataId, labelsOf(each));
    }
  }

  /** The labels of a picture on this page, which may be newer than those on the hub. */
  async function labels(id: string): Promise<PictureLabels> {
    await loadMetadata([id]);
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
      await loadMetadata(near.includes(id) ? near : [id]);
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
      // Loads the neighbours in advance.
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
  // On each new connection, missing data is loaded and unsaved changes are saved at once.
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
    /**
     * Saves before the screen is left.
     * @returns whether leaving loses nothing
     */
    leave: async (): Promise<boolean> => {
      await store.saveAll();
      return store.unsaved.length === 0 || isKept;
    },
  };
}
