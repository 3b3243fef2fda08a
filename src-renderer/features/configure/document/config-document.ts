import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import { followStream, messageOf } from '../../../shared/machine/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument, ConfigPlan, Problem } from '../../../shared/machine/machine-view.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import {
  applied,
  discarded,
  draftOf,
  edited,
  isDirty,
  keptMine,
  received,
  restored,
  tookTheirs,
  toStored,
  type ConfigDraft,
} from './config-draft.ts';
import { DraftStorage } from './draft-storage.ts';
import { resourcePlaces, type ResourcePlace } from './resource-places.ts';

/** After the last key: the text is checked and kept then, so that neither slows the typing down. */
const pauseMs = 300;

/** How the last apply ended, until it is dismissed or something is typed. */
export type ApplyNotice =
  | { readonly kind: 'applied' }
  /** No plan could be worked out. */
  | { readonly kind: 'unplanned'; readonly reason: string }
  /** Applying was asked for, and no answer says what became of it. */
  | { readonly kind: 'unconfirmed'; readonly reason: string };

/** A plan that waits for the person's word. */
export interface Review {
  readonly text: string;
  readonly baseRevision: string;
  readonly plan: ConfigPlan;
}

/** What the machine said about a text: problems, and what applying it would do. */
interface Check {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly plan: ConfigPlan | undefined;
  readonly failure: string;
}

/** The configuration: what is applied, the draft over it, its problems and its plan. The one place that changes it. */
export const useConfigDocument = defineStore('config-document', () => {
  const machine = useMachine();
  const connection = useConnection();
  const storage = new DraftStorage(() => localStorage);

  const document = shallowRef<ConfigDocument>();
  const draft = shallowRef<ConfigDraft>();
  const streamProblem = ref('');
  const isDraftKept = ref(true);
  const wasRestored = ref(false);
  const check = shallowRef<Check>();
  const review = shallowRef<Review>();
  const isBusy = ref<'no' | 'planning' | 'applying'>('no');
  const notice = shallowRef<ApplyNotice>();
  /** Counts the checks: their answers may come in another order. */
  let checks = 0;

  const text = computed(() => draft.value?.text ?? '');
  /** The text of the last pause in typing. */
  const settledText = ref('');
  const places = computed(() => resourcePlaces(settledText.value));
  const hasChanges = computed(() => draft.value !== undefined && isDirty(draft.value));
  const isChecked = computed(() => check.value?.text === text.value && check.value.failure === '');
  /** Of the text as it is; while it is being checked, those of the text before. */
  const problems = computed<readonly Problem[]>(() => check.value?.problems ?? []);
  const errors = computed(() => problems.value.filter((problem) => problem.severity === 'error'));

  /** By address and file: the next machine at this address must not be offered the draft of another. */
  const storageName = (): string => `${window.location.host} ${document.value?.path ?? ''}`;
  /** Whether the kept draft is this page's: another's is not removed. */
  let isStored = false;

  function take(next: ConfigDocument): void {
    document.value = next;
    if (draft.value !== undefined) {
      draft.value = received(draft.value, next);
      return;
    }
    const stored = storage.load(storageName());
    isStored = stored !== undefined;
    draft.value = stored === undefined ? draftOf(next) : restored(stored, next);
    wasRestored.value = hasChanges.value;
    settledText.value = text.value;
  }

  onScopeDispose(
    followStream({
      connection: machine.connection,
      open: (signal) => machine.config.watch(signal),
      onItem: take,
      onProblem: (message) => (streamProblem.value = message),
    }),
  );

  function keepDraft(): void {
    clearTimeout(keepTimer);
    if (draft.value === undefined) return;
    const stored = toStored(draft.value);
    if (stored === undefined && !isStored) return;
    isDraftKept.value = storage.save(storageName(), stored);
    isStored = stored !== undefined;
  }

  let keepTimer: ReturnType<typeof setTimeout> | undefined;
  watch(draft, () => {
    clearTimeout(keepTimer);
    keepTimer = setTimeout(keepDraft, pauseMs);
  });
  window.addEventListener('pagehide', keepDraft);

  let checkTimer: ReturnType<typeof setTimeout> | undefined;
  watch(
    [text, () => connection.isConnected, () => draft.value?.base.revision],
    () => {
      clearTimeout(checkTimer);
      if (draft.value === undefined) return;
      checkTimer = setTimeout(() => {
        settledText.value = text.value;
        void checkNow();
      }, pauseMs);
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    clearTimeout(keepTimer);
    clearTimeout(checkTimer);
    window.removeEventListener('pagehide', keepDraft);
  });

  /** Asks the machine about the text as it is; an answer to an older question is thrown away. */
  async function checkNow(): Promise<void> {
    const asked = text.value;
    checks += 1;
    const own = checks;
    const failed = (failure: string): Check => ({ text: asked, problems: problems.value, plan: undefined, failure });
    let result: Check;
    if (connection.isConnected) {
      try {
        const found = await machine.config.validate(asked);
        const isPlannable = hasChanges.value && !found.some((problem) => problem.severity === 'error');
        const plan = isPlannable ? await machine.config.plan(asked) : undefined;
        result = { text: asked, problems: found, plan, failure: '' };
      } catch (thrown) {
        result = failed(messageOf(thrown));
      }
    } else {
      result = failed('');
    }
    if (own === checks && asked === text.value) check.value = result;
  }

  function edit(next: string): void {
    if (draft.value === undefined || next === draft.value.text) return;
    draft.value = edited(draft.value, next);
    notice.value = undefined;
    wasRestored.value = false;
  }

  function change(step: (draft: ConfigDraft) => ConfigDraft): void {
    if (draft.value !== undefined) draft.value = step(draft.value);
  }

  /** Works out the plan of the draft and shows it. Nothing is applied. */
  async function startReview(): Promise<void> {
    if (draft.value === undefined || isBusy.value !== 'no') return;
    const { text: asked, base } = draft.value;
    isBusy.value = 'planning';
    try {
      const plan = await machine.config.plan(asked);
      if (plan.problems.some((problem) => problem.severity === 'error')) {
        check.value = { text: asked, problems: plan.problems, plan: undefined, failure: '' };
      } else {
        review.value = { text: asked, baseRevision: base.revision, plan };
      }
    } catch (thrown) {
      notice.value = { kind: 'unplanned', reason: messageOf(thrown) };
    } finally {
      isBusy.value = 'no';
    }
  }

  /** Applies what was reviewed, unless somebody else was first: then both texts are kept. */
  async function confirmReview(): Promise<void> {
    const sent = review.value;
    if (sent === undefined || isBusy.value !== 'no') return;
    isBusy.value = 'applying';
    try {
      const outcome = await machine.config.apply(sent.text, sent.baseRevision);
      if (outcome.kind === 'applied') {
        change((now) => applied(now, sent.text, outcome.revision));
        notice.value = { kind: 'applied' };
      } else if (outcome.kind === 'conflict') {
        change((now) => received(now, { ...(document.value ?? emptyDocument), ...outcome.theirs }));
      } else {
        check.value = { text: sent.text, problems: outcome.problems, plan: undefined, failure: '' };
      }
    } catch (thrown) {
      notice.value = { kind: 'unconfirmed', reason: messageOf(thrown) };
    } finally {
      isBusy.value = 'no';
      review.value = undefined;
    }
  }

  return {
    document,
    draft,
    text,
    hasChanges,
    streamProblem,
    isDraftKept,
    wasRestored,
    /** Where the resources are in the text, as of the last pause in typing. */
    places,
    /** The place of a resource in the text as it is now. */
    placeOf(name: string): ResourcePlace | undefined {
      settledText.value = text.value;
      return places.value.find((place) => place.name === name);
    },
    problems,
    errors,
    isChecked,
    checkFailure: computed(() => check.value?.failure ?? ''),
    /** What applying would do, as far as the present text is known to be sound. */
    plan: computed(() => (isChecked.value ? check.value?.plan : undefined)),
    review,
    isBusy,
    notice,
    edit,
    discard: () => change(discarded),
    takeTheirs: () => change(tookTheirs),
    keepMine: () => change(keptMine),
    startReview,
    confirmReview,
    cancelReview: () => (review.value = undefined),
    dismissNotice: () => (notice.value = undefined),
  };
});

const emptyDocument: ConfigDocument = {
  text: '',
  revision: '',
  source: 'none',
  path: '',
  isReadOnly: false,
  result: undefined,
};
