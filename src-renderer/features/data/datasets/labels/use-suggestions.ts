import { newId } from '../../../../shared/new-id.ts';
import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import type { Model } from '../../../../../proto/gen/core/hub/v1/models.ts';
import { keepText, keptText } from '../../../../shared/kept-text.ts';
import type { ModelFindings } from '../../../../shared/machine/data/inference-calls.ts';
import { useFleetCalls } from '../../../../shared/machine/fleet.ts';
import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';
import { toggledTag, withBox, type PictureLabels } from './picture-labels.ts';
import { suggestionsOf, type Suggestion } from './suggestions.ts';

/** A version of a model that can make suggestions. */
export interface SuggestingModel {
  /** Id and version in one text, for the list of choices. */
  readonly key: string;
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly modelType: string;
}

export interface SuggestionPlace {
  readonly datasetId: string;
  /** '' while it is not known. */
  readonly organizationId: () => string;
  /** Id of the shown picture; '' where there is none or it may not be labelled. */
  readonly pictureId: () => string;
  readonly labels: Readonly<Ref<PictureLabels>>;
  readonly boxClasses: Readonly<Ref<readonly string[]>>;
  readonly tagClasses: Readonly<Ref<readonly string[]>>;
  /** Changes the labels of the picture. */
  readonly change: (next: PictureLabels) => void;
  /** Announces what was done to screen readers. */
  readonly announce: (key: 'accepted' | 'rejected', count: number) => void;
}

const DEFAULT_MIN_PERCENT = 50;

/** Suggestions of a model for the shown picture. None becomes a label, or is saved, before it is accepted. */
export function useSuggestions(place: SuggestionPlace) {
  const { models: modelCalls, inference } = useFleetCalls();
  const controller = new AbortController();
  onScopeDispose(() => controller.abort());
  const storage = (): Storage => localStorage;
  const storedKey = `armature.suggesting-model.${place.datasetId}`;

  const found = shallowRef<readonly Model[]>([]);
  const problem = ref('');
  const isAsking = ref(false);
  const chosen = ref(keptText(storage, storedKey) ?? '');
  /** Minimum confidence, percent. */
  const minPercent = ref(DEFAULT_MIN_PERCENT);
  const models = computed((): readonly SuggestingModel[] =>
    found.value
      .filter(({ organizationId }) => organizationId === place.organizationId())
      .flatMap(({ id, name, versions }) =>
        versions
          .filter(({ framework }) => framework === 'onnx')
          .map(({ version, modelType }) => ({ key: `${id} ${version}`, id, version, name, modelType })),
      ),
  );
  const model = computed(() => models.value.find(({ key }) => key === chosen.value));

  async function readModels(): Promise<void> {
    try {
      found.value = (await modelCalls.list()).models;
    } catch (thrown) {
      if (!controller.signal.aborted) problem.value = messageOf(thrown);
    }
  }
  void readModels();

  /** Findings by model and picture, so that going back needs no new request. */
  const findings = shallowRef<ReadonlyMap<string, ModelFindings>>(new Map());
  const rejected = shallowRef<ReadonlySet<string>>(new Set());
  const current = computed(() => {
    const id = place.pictureId();
    return model.value === undefined || id === '' ? '' : `${model.value.key} ${id}`;
  });

  async function ask(key: string): Promise<void> {
    const wanted = model.value;
    const id = place.pictureId();
    if (key === '' || wanted === undefined || findings.value.has(key)) return;
    isAsking.value = true;
    problem.value = '';
    try {
      const answer = await inference.run(wanted, id, controller.signal);
      findings.value = new Map([...findings.value, [key, answer]].slice(-50) as [string, ModelFindings][]);
    } catch (thrown) {
      if (!controller.signal.aborted && current.value === key) problem.value = messageOf(thrown);
    }
    if (current.value === key) isAsking.value = false;
  }
  watch(
    current,
    (key) => {
      isAsking.value = false;
      problem.value = '';
      void ask(key);
    },
    { immediate: true },
  );

  const suggestions = computed((): readonly Suggestion[] => {
    const known = findings.value.get(current.value);
    if (known === undefined) return [];
    const own = [...rejected.value].filter((each) => each.startsWith(`${current.value} `));
    return suggestionsOf(known, {
      minConfidence: minPercent.value / 100,
      boxClasses: place.boxClasses.value,
      tagClasses: place.tagClasses.value,
      labels: place.labels.value,
      rejected: new Set(own.map((each) => each.slice(current.value.length + 1))),
    });
  });
  const marked = ref('');
  /** The suggestion that keys act on; the first one by default. */
  const active = computed(() => suggestions.value.find(({ id }) => id === marked.value) ?? suggestions.value[0]);

  function accept(taken: readonly (Suggestion | undefined)[]): void {
    const some = taken.filter((each) => each !== undefined);
    if (some.length === 0) return;
    place.change(some.reduce(withSuggestion, place.labels.value));
    place.announce('accepted', some.length);
  }

  function reject(turnedDown: readonly (Suggestion | undefined)[]): void {
    const some = turnedDown.filter((each) => each !== undefined);
    if (some.length === 0) return;
    rejected.value = new Set([...rejected.value, ...some.map(({ id }) => `${current.value} ${id}`)]);
    place.announce('rejected', some.length);
  }

  return {
    ...{ models, suggestions, active, minPercent, problem, isAsking },
    chosen: computed({
      get: () => model.value?.key ?? '',
      set: (key) => {
        chosen.value = key;
        keepText(storage, storedKey, key === '' ? null : key);
      },
    }),
    accept,
    reject,
    mark: (id: string) => void (marked.value = id),
    next: () => {
      const at = suggestions.value.findIndex(({ id }) => id === active.value?.id);
      marked.value = suggestions.value[(at + 1) % Math.max(1, suggestions.value.length)]?.id ?? '';
    },
    again: () => void ask(current.value),
  };
}

/** Adds a suggestion as a label: a new box, or a tag. */
function withSuggestion(labels: PictureLabels, { label, edges }: Suggestion): PictureLabels {
  if (edges !== undefined) return withBox(labels, { id: newId(), label, edges });
  return labels.tags.includes(label) ? labels : toggledTag(labels, label);
}
