import { computed, ref, shallowRef, watch } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument, ConfigPlan, Problem } from '../../../shared/machine/machine-view.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { useReturnTime } from '../../../shared/stores/return-time.ts';
import { applied } from './config-draft.ts';
import type { DraftEditing } from './editing/draft-editing.ts';

/** How the last apply ended, until it is dismissed or something is typed. */
export type ApplyNotice =
  /** In force; `ms` is the time from the order to the machine's word that it is. */
  | { readonly kind: 'applied'; readonly ms: number }
  /** Stored, and not carried out. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Nothing was done: no plan could be worked out, or the machine refused. */
  | { readonly kind: 'unplanned'; readonly reason: string }
  /** Applying was asked for, and no answer says what became of it. */
  | { readonly kind: 'unconfirmed'; readonly reason: string }
  /** The link broke, and after it the machine turned out not to have the text. */
  | { readonly kind: 'lost' };

/** A plan that waits for the person's word. */
export interface Review {
  readonly text: string;
  readonly base: { readonly text: string; readonly revision: string };
  readonly plan: ConfigPlan;
}

/** A text that this page gave to the machine. */
export interface Attempt extends Review {
  /** Wall-clock time of the order, ms. */
  readonly startedAt: number;
  /** The machine has said that it has the text. */
  readonly isConfirmed: boolean;
  /** When the machine said how it went; undefined while that is open. */
  readonly endedAt: number | undefined;
}

/** What applying reports to the document. */
interface ApplyEvents {
  /** The machine refused a text. */
  refused(text: string, problems: readonly Problem[]): void;
  /** Somebody else was first with this. */
  conflict(theirs: Pick<ConfigDocument, 'text' | 'revision'>): void;
}

/** Whether a plan stops or takes away something: then it is shown before anything is done. */
function mustBeSeen({ resources, modules }: ConfigPlan): boolean {
  return (
    resources.some(({ kind, stopsMotion }) => stopsMotion || kind === 'remove') ||
    modules.some(({ kind }) => kind === 'restart' || kind === 'remove')
  );
}

/** From the draft to the machine: the plan first, then the word of a person, then what came of it. */
export function useApplyFlow(machine: Machine, editing: DraftEditing, events: ApplyEvents) {
  const { draft } = editing;
  const connection = useConnection();
  const returnTime = useReturnTime();
  const review = shallowRef<Review>();
  const isBusy = ref<'no' | 'planning' | 'applying'>('no');
  const notice = shallowRef<ApplyNotice>();
  const attempt = shallowRef<Attempt>();
  const document = shallowRef<ConfigDocument>();
  /** Revision of the text that was left, once the person has seen that. */
  const seenReturn = ref('');
  const trialFailure = ref('');
  const isEndingTrial = ref(false);
  /** The link broke since the text was sent: what the machine says next tells what became of it. */
  let wasCut = false;
  watch(
    () => connection.isConnected,
    (isConnected) => (wasCut ||= !isConnected),
    { flush: 'sync' },
  );

  /** Works out the plan of the draft and does with it what `decide` says. Nothing is applied before. */
  async function planDraft(decide: (planned: Review) => 'show' | 'apply'): Promise<void> {
    if (draft.value === undefined || isBusy.value !== 'no') return;
    const { text, base } = draft.value;
    isBusy.value = 'planning';
    let planned: Review | undefined;
    try {
      const plan = await machine.config.plan(text);
      if (plan.problems.some((problem) => problem.severity === 'error')) events.refused(text, plan.problems);
      else planned = { text, base, plan };
    } catch (thrown) {
      notice.value = { kind: 'unplanned', reason: messageOf(thrown) };
    } finally {
      isBusy.value = 'no';
    }
    if (planned === undefined) return;
    if (decide(planned) === 'show') review.value = planned;
    else await send(planned);
  }

  /** Applies a text, unless somebody else was first: then both texts are kept. */
  async function send(sent: Review): Promise<void> {
    isBusy.value = 'applying';
    notice.value = undefined;
    seenReturn.value = '';
    trialFailure.value = '';
    wasCut = false;
    attempt.value = { ...sent, startedAt: Date.now(), isConfirmed: false, endedAt: undefined };
    try {
      const outcome = await machine.config.apply(sent.text, sent.base.revision, returnTime.ms);
      switch (outcome.kind) {
        case 'applied':
          // What the machine says about it may have come before this answer, and may be that it went back.
          if (attempt.value?.text !== sent.text) break;
          attempt.value = { ...attempt.value, isConfirmed: true };
          if (draft.value?.base.revision === sent.base.revision) {
            draft.value = applied(draft.value, sent.text, outcome.revision);
          }
          break;
        case 'conflict':
          attempt.value = undefined;
          events.conflict(outcome.theirs);
          break;
        case 'refused':
          attempt.value = undefined;
          events.refused(sent.text, outcome.problems);
          break;
        case 'failed':
          attempt.value = undefined;
          notice.value = { kind: 'unplanned', reason: outcome.reason };
      }
    } catch (thrown) {
      if (attempt.value?.isConfirmed === false) notice.value = { kind: 'unconfirmed', reason: messageOf(thrown) };
    } finally {
      isBusy.value = 'no';
      review.value = undefined;
    }
  }

  /**
   * Takes what the machine says about its configuration. Answers whether it went
   * back from the text that this page applied: then that one is the draft again.
   */
  function observe(next: ConfigDocument): boolean {
    document.value = next;
    if (next.result?.trial === undefined) trialFailure.value = '';
    const now = attempt.value;
    if (now === undefined) return false;
    const { result } = next;
    if (result?.outcome === 'returned' && result.returnedText === now.text) {
      attempt.value = undefined;
      notice.value = undefined;
      return true;
    }
    if (next.text === now.text) {
      confirm(now, result);
    } else if (now.isConfirmed) {
      // Another text took its place; what it is, and what to do, is said elsewhere.
      attempt.value = undefined;
      if (notice.value?.kind === 'applied') notice.value = undefined;
    } else if (wasCut) {
      attempt.value = undefined;
      notice.value = next.text === now.base.text ? { kind: 'lost' } : undefined;
    }
    return false;
  }

  function confirm(now: Attempt, result: ConfigDocument['result']): void {
    if (notice.value?.kind === 'unconfirmed') notice.value = undefined;
    const isOpen = result === undefined || result.outcome === 'applying' || result.trial !== undefined;
    const wasOpen = now.endedAt === undefined;
    attempt.value = { ...now, isConfirmed: true, endedAt: isOpen ? undefined : (now.endedAt ?? Date.now()) };
    if (isOpen || !wasOpen) return;
    notice.value =
      result.outcome === 'rejected'
        ? { kind: 'rejected', reason: result.message }
        : { kind: 'applied', ms: Date.now() - now.startedAt };
  }

  async function endTrial(keep: boolean): Promise<void> {
    const revision = document.value?.revision;
    if (revision === undefined || isEndingTrial.value) return;
    isEndingTrial.value = true;
    trialFailure.value = '';
    try {
      await machine.config.endTrial(revision, keep);
    } catch (thrown) {
      // One that ended by itself a moment before needs no word: what came of it is shown.
      if (document.value?.result?.trial !== undefined) trialFailure.value = messageOf(thrown);
    } finally {
      isEndingTrial.value = false;
    }
  }

  return {
    observe,
    flow: {
      review,
      isBusy,
      notice,
      attempt,
      /** The way back that is open now, whoever applied. */
      trial: computed(() => document.value?.result?.trial),
      trialFailure,
      isEndingTrial,
      /** The machine went back to the configuration before, and nobody has put that aside here. */
      returned: computed(() => {
        const result = document.value?.result;
        return result?.outcome === 'returned' && result.revision !== seenReturn.value ? result : undefined;
      }),
      dismissReturned: (): void => void (seenReturn.value = document.value?.result?.revision ?? ''),
      startReview: () => planDraft(() => 'show'),
      /** Applies the draft, after showing what it does where it stops or removes something. */
      applyDraft: () => planDraft(({ plan }) => (mustBeSeen(plan) ? 'show' : 'apply')),
      async confirmReview(): Promise<void> {
        if (review.value !== undefined && isBusy.value === 'no') await send(review.value);
      },
      cancelReview: (): void => void (review.value = undefined),
      dismissNotice(): void {
        notice.value = undefined;
        if (attempt.value?.endedAt !== undefined) attempt.value = undefined;
      },
      keepTrial: () => endTrial(true),
      goBackNow: () => endTrial(false),
    },
  };
}
