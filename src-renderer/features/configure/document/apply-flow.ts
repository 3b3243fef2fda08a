import { ref, shallowRef } from 'vue';
import { messageOf } from '../../../shared/machine/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument, ConfigPlan, Problem } from '../../../shared/machine/machine-view.ts';
import { applied } from './config-draft.ts';
import type { DraftEditing } from './draft-editing.ts';

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

/** What applying reports to the document. */
interface ApplyEvents {
  /** The machine refused a text. */
  refused(text: string, problems: readonly Problem[]): void;
  /** Somebody else was first with this. */
  conflict(theirs: Pick<ConfigDocument, 'text' | 'revision'>): void;
}

/** From the draft to the machine: the plan first, then the word of a person. */
export function useApplyFlow(machine: Machine, editing: DraftEditing, events: ApplyEvents) {
  const { draft } = editing;
  const review = shallowRef<Review>();
  const isBusy = ref<'no' | 'planning' | 'applying'>('no');
  const notice = shallowRef<ApplyNotice>();

  /** Works out the plan of the draft and shows it. Nothing is applied. */
  async function startReview(): Promise<void> {
    if (draft.value === undefined || isBusy.value !== 'no') return;
    const { text: asked, base } = draft.value;
    isBusy.value = 'planning';
    try {
      const plan = await machine.config.plan(asked);
      if (plan.problems.some((problem) => problem.severity === 'error')) events.refused(asked, plan.problems);
      else review.value = { text: asked, baseRevision: base.revision, plan };
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
        if (draft.value !== undefined) draft.value = applied(draft.value, sent.text, outcome.revision);
        notice.value = { kind: 'applied' };
      } else if (outcome.kind === 'conflict') {
        events.conflict(outcome.theirs);
      } else {
        events.refused(sent.text, outcome.problems);
      }
    } catch (thrown) {
      notice.value = { kind: 'unconfirmed', reason: messageOf(thrown) };
    } finally {
      isBusy.value = 'no';
      review.value = undefined;
    }
  }

  return {
    review,
    isBusy,
    notice,
    startReview,
    confirmReview,
    cancelReview: () => (review.value = undefined),
    dismissNotice: () => (notice.value = undefined),
  };
}
