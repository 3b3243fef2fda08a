import { toArmatureError } from '../../base/errors.ts';
import { revisionOf } from '../../base/revision.ts';
import type { MachineConfig, ParsedConfig } from '../config/machine-config.ts';
import type { Plan } from '../config/plan/plan.ts';
import { subjectsOf } from '../config/plan/plan-summary.ts';
import type { ConfigOrigin } from '../config/source/config-source.ts';
import type {
  ApplyEvent,
  ApplyState,
  Effect,
  Execution,
  Pending,
  Stored,
  Transition,
  TransitionContext,
} from './apply-state.ts';
import type { ApplyDetails, Outcome, RolledBack } from './config-state.ts';
import type { SavedDeferral } from './deferral-record.ts';
import { deferredPart } from './deferred-part.ts';
import { deferredOutcome, inOneLine, replacedMessage, unreadyLines } from './outcome-messages.ts';
import { unreadyOf } from './trial.ts';
import type { TrialTerms } from './trial-record.ts';

/**
 * The next state of a machine's texts after an event: one is stored; one runs, perhaps on trial; the stored one may be
 * pending. Has no side effects: it returns what to do as effects.
 */
export function transition(state: ApplyState, event: ApplyEvent, context: TransitionContext): Transition {
  const step = new Step(state, context);
  switch (event.kind) {
    case 'stored':
      step.followStored(event.text, event.parsed, event.details);
      break;
    case 'resumed':
      step.resume(event);
      break;
    case 'unreadable':
      step.unreadable(event.message);
      break;
    case 'executed':
      step.executed(event.execution);
      break;
    case 'execution-failed':
      step.executionFailed(event.execution, event.error);
      break;
    case 'confirmed':
      step.confirmed(event.terms, event.why);
      break;
    case 'rolled-back-while-pending':
      step.rolledBackWhilePending(event.parsed, event.rolledBack);
      break;
    case 'rollback-failed':
      step.rollbackFailed(event.terms, event.message);
      break;
    case 'refused':
      step.refused(event.pending, event.reason);
      break;
    case 'released':
      step.released(event.pending, event.terms);
      break;
  }
  return step;
}

/** Whether a plan has to wait for the maintenance window of the configuration in force, if that has one. */
export function mustDefer({ running }: ApplyState, plan: Plan): boolean {
  return running?.config.maintenance !== undefined && deferredPart(plan) !== undefined;
}

/** What a restarted server needs to know about a pending text. Only while something runs. */
export function deferralOf(
  { pending, running }: ApplyState,
  revision: string,
  returnAfterMs: number,
  since: number,
): SavedDeferral {
  const replacedTerms = pending && { returnAfterMs: pending.saved.returnAfterMs, since: pending.saved.since };
  const replaces = pending?.revision ?? '';
  return { revision, returnAfterMs, since, runningText: running?.text ?? '', replaces, replacedTerms };
}

/** A transition in progress: its state and effects so far. */
class Step implements Transition {
  state: ApplyState;
  readonly outcomes: Outcome[] = [];
  readonly effects: Effect[] = [];
  readonly #context: TransitionContext;

  constructor(state: ApplyState, context: TransitionContext) {
    this.state = state;
    this.#context = context;
  }

  followStored(text: string, parsed: ParsedConfig, details: ApplyDetails): void {
    const { config, problems } = parsed;
    const stored = this.#stored(text, parsed);
    const { revision } = stored;
    this.effects.push({ do: 'log-problems', problems });
    this.#tellOfReplaced(revision);
    if (config === undefined) {
      this.#reject(stored, 'it has errors that leave nothing to run');
      return;
    }
    let plan: Plan;
    try {
      const from = this.state.running?.config;
      const { planned } = details;
      plan = planned !== undefined && planned.from === from ? planned : this.#context.plan(from, config);
    } catch (thrown) {
      this.#reject(stored, toArmatureError(thrown).message);
      return;
    }
    const origin = details.origin ?? this.#originOf(plan);
    // A rollback ends a failure, so it does not wait for maintenance.
    if (details.rolledBack === undefined && mustDefer(this.state, plan)) {
      const { pending } = this.state;
      const since = pending?.revision === revision ? pending.saved.since : this.#context.now();
      this.#defer(stored, config, origin, details.deferral ?? deferralOf(this.state, revision, 0, since));
      return;
    }
    this.#clearPending();
    // Another text is applied now, so the earlier trial is over.
    this.#enterTrial(details.trialTerms);
    this.#carryOut({ text, revision, config, plan }, { ...details, origin }, stored);
  }

  resume({ text, parsed, details, waiting }: Extract<ApplyEvent, { kind: 'resumed' }>): void {
    const { config } = parsed;
    if (config === undefined || waiting.parsed.config === undefined) {
      this.followStored(waiting.text, waiting.parsed, {});
      return;
    }
    this.effects.push({ do: 'log-problems', problems: parsed.problems });
    const plan = this.#context.plan(undefined, config);
    const origin = this.#originOf(this.#context.plan(config, waiting.parsed.config));
    this.#enterTrial(details.trialTerms);
    this.#carryOut({ text, revision: revisionOf(text), config, plan }, details, undefined);
    this.#defer(this.#stored(waiting.text, waiting.parsed), waiting.parsed.config, origin, waiting.deferral);
  }

  unreadable(message: string): void {
    const { stored, running } = this.state;
    // When the file becomes readable again, the text is stored again and its wait starts over.
    this.#forgetPending();
    this.#log('warn', `${message} The machine goes on with configuration ${running?.revision ?? 'nothing'}.`);
    this.#set({ outcome: this.#outcome('rejected', stored.revision, message) });
  }

  executed({ turn, revision, rolledBack, beganAt, summary }: Execution): void {
    if (this.state.execution?.turn !== turn) return;
    this.#set({ tookMs: this.#context.monotonic() - beganAt });
    const outcome = rolledBack === undefined ? this.#result() : this.#rollbackOutcome(rolledBack, true);
    this.#log('info', `configuration ${revision} is in force: ${summary}`, {
      failures: this.#context.failures().length,
    });
    this.#set({ applied: { revision, at: this.#context.now() }, ...this.#ifStored(revision, outcome) });
  }

  executionFailed({ turn, revision, terms, before }: Execution, error: unknown): void {
    const { execution, stored } = this.state;
    const { message } = toArmatureError(error);
    this.#log('error', `configuration ${revision} was not carried out: ${message}`, { error });
    if (execution?.turn !== turn) return;
    if (terms !== undefined && stored.revision === revision) {
      // It counts as confirmed, because the resources have not changed.
      this.#enterTrial(terms);
      this.effects.push({ do: 'roll-back', terms, why: `: ${message}`, unready: [] });
      return;
    }
    // Only partly carried out: the next plan must start where this one did, or it would miss the rest.
    this.#set({ running: before, ...this.#ifStored(revision, this.#outcome('rejected', revision, message)) });
  }

  confirmed(terms: TrialTerms, why: string): void {
    if (this.state.trial !== terms) return;
    this.#log('info', `configuration ${terms.revision} is kept: ${why}`);
    this.#enterTrial(undefined);
    const { kind } = this.state.outcome;
    if (kind === 'applied' || kind === 'applied-with-failures') this.#set({ outcome: this.#result() });
  }

  rolledBackWhilePending(parsed: ParsedConfig, rolledBack: RolledBack): void {
    const { config, text } = parsed;
    const { pending } = this.state;
    this.#enterTrial(undefined);
    if (config === undefined || pending === undefined) return;
    const plan = this.#context.plan(this.state.running?.config, config);
    this.#carryOut({ text, revision: revisionOf(text), config, plan }, { rolledBack }, undefined);
    // The next start uses what runs now.
    const saved = { ...pending.saved, runningText: text };
    this.effects.push({ do: 'save-deferral', saved });
    const outcome = this.#rollbackOutcome(rolledBack, false);
    this.outcomes.push(outcome);
    this.#set({ pending: { ...pending, saved }, outcome });
    this.#showPending();
  }

  rollbackFailed(terms: TrialTerms, message: string): void {
    this.#log('error', message);
    this.#enterTrial(undefined);
    this.#set({ outcome: this.#outcome('applied-with-failures', terms.revision, message) });
  }

  refused(pending: Pending, reason: string): void {
    const now = this.state.pending;
    if (now?.revision !== pending.revision) return;
    this.#log('info', `configuration ${pending.revision} waits for ${reason}`);
    this.#set({ pending: { ...now, reason } });
    this.#showPending();
  }

  released(pending: Pending, terms: TrialTerms | undefined): void {
    const { text, revision, config, problems, origin } = pending;
    const stored = this.#stored(text, { problems });
    this.#clearPending();
    this.#enterTrial(terms);
    try {
      const plan = this.#context.plan(this.state.running?.config, config);
      this.#carryOut({ text, revision, config, plan }, { origin, trialTerms: terms }, stored);
    } catch (thrown) {
      this.#reject(stored, toArmatureError(thrown).message);
    }
  }

  #defer(stored: Stored, config: MachineConfig, origin: ConfigOrigin, saved: SavedDeferral): void {
    const { text, revision, problems } = stored;
    const outcome = this.#outcome('applying', revision, 'the sensor is asked whether maintenance is allowed');
    this.#set({ stored, origin, outcome, pending: { text, revision, config, problems, origin, saved, reason: '' } });
    this.effects.push({ do: 'set-log-levels', config }, { do: 'save-deferral', saved }, { do: 'poll-maintenance' });
  }

  /** @param stored set with it; undefined if another text is stored */
  #carryOut(
    order: { readonly text: string; readonly revision: string; readonly config: MachineConfig; readonly plan: Plan },
    { origin, trialTerms, rolledBack }: ApplyDetails,
    stored: Stored | undefined,
  ): void {
    const { text, revision, config, plan } = order;
    const { summary } = plan;
    const { running, execution: last, pending, trial } = this.state;
    const execution = {
      turn: (last?.turn ?? 0) + 1,
      revision,
      summary,
      before: running,
      terms: trialTerms,
      rolledBack,
      beganAt: this.#context.monotonic(),
    };
    this.#set({ running: { config, revision, text, summary }, execution, tookMs: undefined });
    if (stored !== undefined) {
      const outcome =
        rolledBack === undefined
          ? this.#outcome('applying', revision, summary)
          : this.#rollbackOutcome(rolledBack, false);
      this.#set({ stored, origin: origin ?? this.#originOf(plan), outcome });
    }
    this.effects.push({ do: 'execute', plan, execution, levels: pending?.config, trial });
  }

  #reject(stored: Stored, why: string): void {
    const { problems, revision } = stored;
    const message = `The text cannot be applied, ${why}; the machine goes on with ${this.state.running?.revision ?? 'nothing'}.`;
    this.#forgetPending();
    this.#enterTrial(undefined);
    this.#log('error', message, { problems: problems.length });
    this.#set({ stored, outcome: this.#outcome('rejected', revision, message) });
  }

  /** Records in the history that a pending text was replaced by a newer one. */
  #tellOfReplaced(revision: string): void {
    const { pending, running } = this.state;
    if (pending === undefined || pending.revision === revision) return;
    const message = replacedMessage(revision, revision === running?.revision);
    this.#log('info', `configuration ${pending.revision} is not applied: ${message}`);
    this.outcomes.push(this.#outcome('replaced', pending.revision, message));
  }

  /** Publishes that a text waits, and for what. */
  #showPending(): void {
    const { running, pending } = this.state;
    if (pending === undefined || running?.config.maintenance === undefined) return;
    const whole = this.#context.plan(running.config, pending.config);
    const deferred = {
      plan: deferredPart(whole) ?? whole,
      reason: pending.reason,
      since: pending.saved.since,
      window: running.config.maintenance,
      runningText: running.text,
    };
    this.#set({ outcome: deferredOutcome(pending.revision, deferred) });
  }

  #enterTrial(terms: TrialTerms | undefined): void {
    this.#set({ trial: terms });
    this.effects.push({ do: 'stop-trial' });
    // The record of the trial was saved before the text was stored.
    if (terms === undefined) this.effects.push({ do: 'save-trial', terms });
  }

  /** Drops the pending text and its record. */
  #forgetPending(): void {
    const { pending, running } = this.state;
    if (pending !== undefined && running !== undefined) {
      this.effects.push({ do: 'set-log-levels', config: running.config });
    }
    this.#clearPending();
  }

  #clearPending(): void {
    this.#set({ pending: undefined });
    this.effects.push({ do: 'save-deferral', saved: undefined });
  }

  /** The outcome of the configuration that runs. */
  #result(): Outcome {
    const { running, tookMs } = this.state;
    const { revision = '', summary = '' } = running ?? {};
    const failures = this.#context.failures();
    const took = tookMs === undefined ? {} : { tookMs };
    if (failures.length === 0) return { ...this.#outcome('applied', revision, summary), ...took };
    const message = inOneLine(failures.map(({ name, reason }) => `${name}: ${reason}`));
    const unready = failures.map(({ name }) => name);
    return { ...this.#outcome('applied-with-failures', revision, message), ...took, unready };
  }

  /** @param isDone whether the rollback was carried out: then it did not help whatever is still not ready */
  #rollbackOutcome({ revision, text, why, unready, readyBefore }: RolledBack, isDone: boolean): Outcome {
    const { tookMs } = this.state;
    const still = isDone ? unreadyOf(readyBefore, (name) => this.#context.notReadyReason(name)) : [];
    const end = still.length === 0 ? '' : `. Going back did not help: ${unreadyLines(still)}`;
    const message = `Rolled back to the previous configuration${why}${end}`;
    const took = isDone && tookMs !== undefined ? { tookMs } : {};
    return { ...this.#outcome('rolled-back', revision, message), ...took, rolledBackText: text, unready };
  }

  #outcome(kind: Outcome['kind'], revision: string, message: string): Outcome {
    return { kind, revision, message, at: this.#context.now() };
  }

  #ifStored(revision: string, outcome: Outcome): Partial<ApplyState> {
    return this.state.stored.revision === revision ? { outcome } : {};
  }

  #stored(text: string, { problems }: Pick<ParsedConfig, 'problems'>): Stored {
    const { kind } = this.#context;
    return { text, revision: revisionOf(text), source: text === '' && kind === 'hub' ? 'none' : kind, problems };
  }

  /** The origin of a text that came from the source. */
  #originOf(plan: Plan): ConfigOrigin {
    const author = this.#context.kind === 'file' ? 'file' : '';
    const { summary } = plan;
    return { author, note: '', summary, subjects: subjectsOf(plan), restoredFrom: 0, isRollback: false };
  }

  #log(level: 'info' | 'warn' | 'error', message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.effects.push({ do: 'log', level, message, fields });
  }

  #set(changed: Partial<ApplyState>): void {
    this.state = { ...this.state, ...changed };
  }
}
