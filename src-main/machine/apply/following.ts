import { toArmatureError } from '../../base/errors.ts';
import type { MachineConfig, ParsedConfig } from '../config/machine-config.ts';
import type { Plan } from '../config/plan/plan.ts';
import type { ConfigOrigin } from '../config/source/config-source.ts';
import { OwnNames } from '../config/checks/own-names.ts';
import { subjectsOf } from '../config/plan/plan-summary.ts';
import { logProblems } from '../config/problem-list.ts';
import { revisionOf } from '../../base/revision.ts';
import type { ConfigState, ConfigurationParts, Course, Outcome, Returned, Running, StateCell } from './config-state.ts';
import type { Deferral, HeldText } from './deferral.ts';
import type { KeptDeferral } from './deferral-record.ts';
import { heldBackBy } from './held-back.ts';
import type { SafeApply } from './safe-apply.ts';
import { deferredOutcome, inOneLine, replacedMessage, unreadyLines } from './outcome-words.ts';
import { unreadyOf } from './trial.ts';
import type { Probation } from './trial-record.ts';

export interface FollowingParts extends ConfigurationParts {
  readonly cell: StateCell;
  readonly safe: SafeApply;
  readonly deferral: Deferral;
  /** A text on trial was not carried out; `why` is the second half of a sentence. */
  readonly onTrialFailed: (probation: Probation, why: string) => Promise<void>;
}

/** What the state says of a text that is stored. */
type Stored = Pick<ConfigState, 'text' | 'revision' | 'source' | 'problems' | 'trial'>;

/** A text that is to be in force. */
interface Order {
  readonly text: string;
  readonly revision: string;
  readonly config: MachineConfig;
  readonly plan: Plan;
  readonly course: Course;
}

/** Has the machine follow the stored text: one way from text to plan to running machine, wherever the text comes from. */
export class Following {
  readonly #parts: FollowingParts;
  readonly #ownNames = new OwnNames();
  /** What the machine was last told to be, and has followed or follows. */
  #running: Running | undefined;
  /** Counts texts that were carried out: only the newest speaks about how it went. */
  #lastTurn = 0;
  /** Of the newest that was carried out. */
  #tookMs: number | undefined;

  constructor(parts: FollowingParts) {
    this.#parts = parts;
  }

  get running(): Running | undefined {
    return this.#running;
  }

  /** The document's own `revision`, else the hash of its text. */
  publicRevision(revision: string): string {
    return this.#ownNames.of(revision);
  }

  /** Whether a plan has to wait for the maintenance window of the configuration in force, if that has one. */
  hasToWait(plan: Plan): boolean {
    return this.#running?.config.maintenance !== undefined && heldBackBy(plan) !== undefined;
  }

  /**
   * Takes over a stored text: states what is wrong with it and, where it can be applied, applies it, at once or when
   * maintenance is allowed. Never rejects.
   */
  async follow(text: string, parsed: ParsedConfig, course: Course): Promise<void> {
    const { safe, deferral, logger } = this.#parts;
    const { config, problems } = parsed;
    const stored = this.#stored(text, parsed);
    const { revision } = stored;
    logProblems(problems, this.#parts.source.path, logger);
    this.#tellOfReplaced(revision);
    if (config === undefined) {
      this.#reject(stored, 'it has errors that leave nothing to run');
      return;
    }
    let plan: Plan;
    try {
      plan = this.#planFrom(this.#running?.config, config, course.planned);
    } catch (thrown) {
      // Its record is made already: rejecting it forgets that.
      safe.enter(course.probation);
      this.#reject(stored, toArmatureError(thrown).message);
      return;
    }
    const origin = course.origin ?? this.#originOf(plan);
    // Going back ends a failure: nobody is helped by waiting with it.
    if (course.returned === undefined && this.hasToWait(plan)) {
      const since = deferral.held?.revision === revision ? deferral.held.since : this.#parts.clock.now();
      this.#hold(stored, config, origin, course.deferral ?? this.deferralOf(revision, 0, since));
      return;
    }
    deferral.clear();
    // Whatever was on trial is so no more: another text is in force now.
    safe.enter(course.probation);
    await this.#carryOut({ text, revision, config, plan, course: { ...course, origin } }, stored);
  }

  /** What has to be known of a text that waits after a restart. Only while something runs. */
  deferralOf(revision: string, returnAfterMs: number, since: number): KeptDeferral {
    const { held } = this.#parts.deferral;
    const replacedTerms = held && { returnAfterMs: held.returnAfterMs, since: held.since };
    const runningText = this.#running?.text ?? '';
    return { revision, returnAfterMs, since, runningText, replaces: held?.revision ?? '', replacedTerms };
  }

  /** Carries out the text that waits; the stored one stays what it is. */
  async release(held: HeldText, probation: Probation | undefined): Promise<void> {
    const { deferral, safe } = this.#parts;
    const { text, revision, config, problems, origin } = held;
    deferral.clear();
    safe.enter(probation);
    try {
      const plan = this.#parts.plan(this.#running?.config, config);
      const stored = this.#stored(text, { text, config, problems });
      await this.#carryOut({ text, revision, config, plan, course: { origin, probation } }, stored);
    } catch (thrown) {
      this.#reject(this.#stored(text, { text, config, problems }), toArmatureError(thrown).message);
    }
  }

  /** Begins with a text that ran before, while another one is stored and waits. */
  async resume(
    text: string,
    parsed: ParsedConfig,
    course: Course,
    waiting: { readonly text: string; readonly parsed: ParsedConfig; readonly deferral: KeptDeferral },
  ): Promise<void> {
    const stored = this.#stored(waiting.text, waiting.parsed);
    const { config } = parsed;
    if (config === undefined || waiting.parsed.config === undefined) {
      await this.follow(waiting.text, waiting.parsed, {});
      return;
    }
    logProblems(parsed.problems, this.#parts.source.path, this.#parts.logger);
    const plan = this.#parts.plan(undefined, config);
    const origin = this.#originOf(this.#parts.plan(config, waiting.parsed.config));
    this.#parts.safe.enter(course.probation);
    const carriedOut = this.#carryOut({ text, revision: revisionOf(text), config, plan, course }, undefined);
    this.#hold(stored, waiting.parsed.config, origin, waiting.deferral);
    await carriedOut;
  }

  /** Goes back from a text on trial while another one is stored and waits: that goes on waiting. */
  async returnBeneath(text: string, parsed: ParsedConfig, returned: Returned): Promise<void> {
    const { safe, deferral, cell } = this.#parts;
    const { config } = parsed;
    const { held } = deferral;
    safe.enter(undefined);
    if (config === undefined || held === undefined) return;
    const plan = this.#parts.plan(this.#running?.config, config);
    const carriedOut = this.#carryOut(
      { text, revision: revisionOf(text), config, plan, course: { returned } },
      undefined,
    );
    deferral.rebase(text);
    cell.set({ outcome: this.#returnedResult(returned, false) });
    this.showWaiting(held);
    await carriedOut;
  }

  /** How the configuration in force is doing. */
  result(): Outcome {
    const { revision = '', summary = '' } = this.#running ?? {};
    const failures = this.#parts.failures();
    const took = this.#tookMs === undefined ? {} : { tookMs: this.#tookMs };
    if (failures.length === 0) return { ...this.outcome('applied', revision, summary), ...took };
    const message = inOneLine(failures.map(({ name, reason }) => `${name}: ${reason}`));
    const unready = failures.map(({ name }) => name);
    return { ...this.outcome('applied-with-failures', revision, message), ...took, unready };
  }

  outcome(kind: Outcome['kind'], revision: string, message: string): Outcome {
    return { kind, revision, message, at: this.#parts.clock.now() };
  }

  /** States that a text waits, and for what. */
  showWaiting(held: HeldText): void {
    const { cell, deferral, plan } = this.#parts;
    const running = this.#running;
    if (running?.config.maintenance === undefined) return;
    const whole = plan(running.config, held.config);
    const deferred = {
      plan: heldBackBy(whole) ?? whole,
      reason: deferral.reason,
      since: held.since,
      window: running.config.maintenance,
      runningText: running.text,
    };
    cell.set({ outcome: deferredOutcome(held.revision, deferred) });
  }

  #hold(stored: Stored, config: MachineConfig, origin: ConfigOrigin, kept: KeptDeferral): void {
    const { cell, deferral, applyLogLevels } = this.#parts;
    const { text, revision, problems } = stored;
    const { returnAfterMs, since } = kept;
    const outcome = this.outcome('applying', revision, 'the sensor is asked whether maintenance is allowed');
    cell.set({ ...stored, origin, outcome });
    applyLogLevels(config);
    deferral.hold({ text, revision, config, problems, origin, returnAfterMs, since }, kept);
  }

  /** @param stored set with it; undefined where another text is stored */
  async #carryOut({ text, revision, config, plan, course }: Order, stored: Stored | undefined): Promise<void> {
    const { cell, safe, logger, deferral } = this.#parts;
    const { origin, probation, returned } = course;
    const before = this.#running;
    const turn = ++this.#lastTurn;
    const beganAt = this.#parts.clock.monotonic();
    this.#tookMs = undefined;
    this.#ownNames.add(revision, config.revision);
    this.#running = { config, revision, text, summary: plan.summary };
    this.#parts.source.used?.(revision);
    if (stored !== undefined) {
      const applying = this.outcome('applying', revision, plan.summary);
      cell.set({
        ...stored,
        origin: origin ?? this.#originOf(plan),
        outcome: returned === undefined ? applying : this.#returnedResult(returned, false),
      });
    }
    // A newer text that is carried out speaks for itself; one that cannot be has its own outcome.
    const isNewest = (): boolean => turn === this.#lastTurn;
    const ifStored = (outcome: Outcome): Partial<ConfigState> => (cell.state.revision === revision ? { outcome } : {});
    try {
      this.#parts.applySettings(plan);
      if (deferral.held !== undefined) this.#parts.applyLogLevels(deferral.held.config);
      const executed = this.#parts.execute(plan, revision);
      safe.start(config);
      await executed;
      if (!isNewest()) return;
      this.#tookMs = this.#parts.clock.monotonic() - beganAt;
      const outcome = returned === undefined ? this.result() : this.#returnedResult(returned, true);
      logger.info(`configuration ${revision} is in force: ${plan.summary}`, {
        failures: this.#parts.failures().length,
      });
      cell.set({ appliedRevision: revision, appliedAt: this.#parts.clock.now(), ...ifStored(outcome) });
    } catch (thrown) {
      const { message } = toArmatureError(thrown);
      logger.error(`configuration ${revision} was not carried out: ${message}`, { error: thrown });
      if (!isNewest()) return;
      if (probation !== undefined && cell.state.revision === revision) {
        // It may count as kept already: nothing has touched the resources.
        safe.enter(probation);
        await this.#parts.onTrialFailed(probation, `: ${message}`);
        return;
      }
      // Carried out by half: the next plan has to begin where this one did, or it would leave out the rest.
      this.#running = before;
      cell.set(ifStored(this.outcome('rejected', revision, message)));
    }
  }

  #stored(text: string, { problems }: ParsedConfig): Stored {
    const { kind } = this.#parts.source;
    const source = text === '' && kind === 'hub' ? 'none' : kind;
    return { text, revision: revisionOf(text), source, problems, trial: undefined };
  }

  /** Of a text that the source brought. */
  #originOf(plan: Plan): ConfigOrigin {
    const author = this.#parts.source.kind === 'file' ? 'file' : '';
    const { summary } = plan;
    return { author, note: '', summary, subjects: subjectsOf(plan), restoredFrom: 0, isReturn: false };
  }

  #planFrom(from: MachineConfig | undefined, to: MachineConfig, planned: Plan | undefined): Plan {
    return planned !== undefined && planned.from === from ? planned : this.#parts.plan(from, to);
  }

  /** The history is told of a text that waited and never will be in force: the newest wins. */
  #tellOfReplaced(revision: string): void {
    const { cell, deferral, logger } = this.#parts;
    const { held } = deferral;
    if (held === undefined || held.revision === revision) return;
    const message = replacedMessage(revision, revision === this.#running?.revision);
    logger.info(`configuration ${held.revision} is not applied: ${message}`);
    cell.set({ outcome: this.outcome('replaced', held.revision, message) });
  }

  #reject(stored: Stored, why: string): void {
    const { problems, revision } = stored;
    const { safe, logger, cell } = this.#parts;
    const message = `The text cannot be applied, ${why}; the machine goes on with ${this.#running?.revision ?? 'nothing'}.`;
    this.forgetWaiting();
    safe.enter(undefined);
    logger.error(message, { problems: problems.length });
    cell.set({ ...stored, outcome: this.outcome('rejected', revision, message) });
  }

  /** Nothing waits any more, and nothing of it stays. */
  forgetWaiting(): void {
    const { deferral, applyLogLevels } = this.#parts;
    if (deferral.held !== undefined && this.#running !== undefined) applyLogLevels(this.#running.config);
    deferral.clear();
  }

  /** @param isDone whether the way back was carried out: what is not ready then was not helped by it */
  #returnedResult({ revision, text, why, unready, readyBefore }: Returned, isDone: boolean): Outcome {
    const still = isDone ? unreadyOf(readyBefore, (name) => this.#parts.resources.obstacleOf(name)) : [];
    const end = still.length === 0 ? '' : `. Going back did not help: ${unreadyLines(still)}`;
    const message = `Returned to the configuration before${why}${end}`;
    const took = isDone && this.#tookMs !== undefined ? { tookMs: this.#tookMs } : {};
    return { ...this.outcome('returned', revision, message), ...took, returnedText: text, unready };
  }
}
