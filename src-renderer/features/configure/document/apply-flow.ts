import { computed, ref, shallowRef, watch } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument, ConfigPlan, Problem } from '../../../shared/machine/machine-view.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { useReturnTime } from '../../../shared/stores/return-time.ts';
import { applied } from './config-draft.ts';
import type { DraftEditing } from './editing/draft-editing.ts';

/** How the last apply ended. Shown until it is dismissed or something is typed. */
export type ApplyNotice =
  /** Applied; `ms` is the time from the request until the machine reported it. */
  | { readonly kind: 'applied'; readonly ms: number }
  /** Stored but not applied. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Nothing was done: there is no plan, or the machine refused. */
  | { readonly kind: 'unplanned'; readonly reason: string }
  /** The request was sent, but no answer tells its outcome. */
  | { readonly kind: 'unconfirmed'; readonly reason: string }
  /** The connection broke, and the machine did not receive the text. */
  | { readonly kind: 'lost' };

/** A plan that waits for the person's confirmation. */
export interface Review {
  readonly text: string;
  readonly base: { readonly text: string; readonly revision: string };
  readonly plan: ConfigPlan;
}

/** A text that this page sent to the machine. */
export interface Attempt extends Review {
  /** Wall-clock time of the request, ms. */
  readonly startedAt: number;
  /** The machine has reported that it has the text. */
  readonly isConfirmed: boolean;
  /** When the machine reported the outcome; undefined before. */
  readonly endedAt: number | undefined;
}

/** Events of applying that the document handles. */
interface ApplyEvents {
  /** The machine refused a text. */
  refused(text: string, problems: readonly Problem[]): void;
  /** Somebody else applied this text first. */
  conflict(theirs: Pick<ConfigDocument, 'text' | 'revision'>): void;
}

/** Whether a plan stops or removes something: then it is shown before it is applied. */
function needsReview({ resources, modules }: ConfigPlan): boolean {
  return (
    resources.some(({ kind, stopsMotion }) => stopsMotion || kind === 'remove') ||
    modules.some(({ kind }) => kind === 'restart' || kind === 'remove')
  );
}

/** Applies the draft: makes the plan, asks for confirmation where needed, and follows the outcome. */
export function useApplyFlow(machine: Machine, editing: DraftEditing, events: ApplyEvents) {
  const { draft } = editing;
  const connection = useConnection();
  const returnTime = useReturnTime();
  const review = shallowRef<Review>();
  const activity = ref<'none' | 'planning' | 'applying'>('none');
  const notice = shallowRef<ApplyNotice>();
  const attempt = shallowRef<Attempt>();
  const document = shallowRef<ConfigDocument>();
  /** Revision of the rolled-back text whose notice the person has dismissed. */
  const seenReturn = ref('');
  const trialFailure = ref('');
  const isEndingTrial = ref(false);
  /** The connection broke since the text was sent: the next report of the machine tells the outcome. */
  let wasDisconnected = false;
  watch(
    () => connection.isConnected,
    (isConnected) => (wasDisconnected ||= !isConnected),
    { flush: 'sync' },
  );

  /** Makes the plan of the draft, then shows or applies it as `decide` says. */
  async function planDraft(decide: (planned: Review) => 'show' | 'apply'): Promise<void> {
    if (draft.value === undefined || activity.value !== 'none') return;
    const { text, base } = draft.value;
    activity.value = 'planning';
    let planned: Review | undefined;
    try {
      const plan = await machine.config.plan(text);
      if (plan.problems.some((problem) => problem.severity === 'error')) events.refused(text, plan.problems);
      else planned = { text, base, plan };
    } catch (thrown) {
      notice.value = { kind: 'unplanned', reason: messageOf(thrown) };
    } finally {
      activity.value = 'none';
    }
    if (planned === undefined) return;
    if (decide(planned) === 'show') review.value = planned;
    else await send(planned);
  }

  /** Applies a text. If somebody else applied another text first, both are kept. */
  async function send(sent: Review): Promise<void> {
    activity.value = 'applying';
    notice.value = undefined;
    seenReturn.value = '';
    trialFailure.value = '';
    wasDisconnected = false;
    attempt.value = { ...sent, startedAt: Date.now(), isConfirmed: false, endedAt: undefined };
    try {
      const outcome = await machine.config.apply(sent.text, sent.base.revision, returnTime.ms);
      switch (outcome.kind) {
        case 'applied':
          // The machine's report may have come before this answer; it may even have rolled back already.
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
      activity.value = 'none';
      review.value = undefined;
    }
  }

  /**
   * Handles a report of the machine's configuration. Returns true if the machine rolled back the text that this page
   * applied: that text becomes the draft again.
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
      // Another text replaced it; the page tells that elsewhere.
      attempt.value = undefined;
      if (notice.value?.kind === 'applied') notice.value = undefined;
    } else if (wasDisconnected) {
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
      // If the trial has ended by itself meanwhile, its outcome is shown instead of this error.
      if (document.value?.result?.trial !== undefined) trialFailure.value = messageOf(thrown);
    } finally {
      isEndingTrial.value = false;
    }
  }

  return {
    observe,
    flow: {
      review,
      activity,
      notice,
      attempt,
      /** The trial that is running now, whoever applied. */
      trial: computed(() => document.value?.result?.trial),
      trialFailure,
      isEndingTrial,
      /** The machine rolled back to the previous configuration, and this notice is not dismissed yet. */
      returned: computed(() => {
        const result = document.value?.result;
        return result?.outcome === 'returned' && result.revision !== seenReturn.value ? result : undefined;
      }),
      dismissReturned: (): void => void (seenReturn.value = document.value?.result?.revision ?? ''),
      startReview: () => planDraft(() => 'show'),
      /** Applies the draft; shows the plan first if it stops or removes something. */
      applyDraft: () => planDraft(({ plan }) => (needsReview(plan) ? 'show' : 'apply')),
      async confirmReview(): Promise<void> {
        if (review.value !== undefined && activity.value === 'none') await send(review.value);
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
