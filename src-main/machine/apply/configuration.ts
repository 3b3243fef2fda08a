import { Mutex } from '../../base/async/mutex.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { revisionOf } from '../../base/revision.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { MachineConfig, ParsedConfig } from '../config/machine-config.ts';
import { subjectsOf } from '../config/plan/plan-summary.ts';
import type { Plan } from '../config/plan/plan.ts';
import { byPlace } from '../config/problem-list.ts';
import { membersAlone } from '../config/reading/memory-need.ts';
import { isTooLargeForMemory } from '../config/reading/parse-config.ts';
import type { ConfigChange, ConfigOrigin, ConfigText } from '../config/source/config-source.ts';
import { ConfigApplier } from './config-applier.ts';
import type { Pending } from './apply-state.ts';
import type { ApplyOutcome, ApplyRequest, ConfigState, ConfigurationOptions, StartupConfig } from './config-state.ts';
import { readStartupConfig, rollbackOrigin } from './startup-config.ts';
import { unreadySentence } from './outcome-messages.ts';
import { deferralOf, mustDefer } from './transition.ts';
import type { TrialTerms } from './trial-record.ts';
import { trialTermsFor } from './trial-terms.ts';
import type { Unready } from './trial.ts';

/**
 * Owns the configuration of this machine: one pipeline from text to plan to running machine, whether the text comes
 * from the file at startup, from an edit of the file, or from Apply. A text that cannot be applied changes nothing
 * except its own list of problems. If a text on trial is not ready in time, it is rolled back through the same
 * pipeline.
 *
 * Stores texts and decides about them, one at a time. {@link ConfigApplier} carries out the effects.
 */
export class Configuration {
  readonly #options: ConfigurationOptions;
  readonly #applier: ConfigApplier;
  /** Held while a text is stored, and during a decision that depends on the machine's state. */
  readonly #mutex = new Mutex();
  #loaded: StartupConfig | undefined;
  #isStopped = false;

  constructor(options: ConfigurationOptions) {
    this.#options = options;
    this.#applier = new ConfigApplier(options, {
      rollBack: (terms, why, unready) => void this.#mutex.run(() => this.#rollBack(terms, why, unready)),
      onAllowed: (pending) => this.#onAllowed(pending),
    });
  }

  get state(): ConfigState {
    return this.#applier.configState;
  }

  /** What the machine runs now. */
  get running(): MachineConfig | undefined {
    return this.#applier.state.running?.config;
  }

  /** Its text; '' where nothing runs yet. */
  get runningText(): string {
    return this.#applier.state.running?.text ?? '';
  }

  /** The revision as the public API defines it: the document's own `revision`, otherwise the hash of its text. */
  publicRevision(revision: string): string {
    return this.#applier.declaredRevisionOf(revision);
  }

  /** Calls back after every change of {@link state}. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void {
    return this.#applier.subscribe(listener);
  }

  /**
   * Reads the text for the first time, without applying it. If the server ended while that text was on trial, the trial
   * starts again with the same time. If it ended twice, or the text cannot be used, the previous text is stored and
   * read instead. If the text was deferred, the machine starts with what was running.
   * If a text is too large for the memory of this program, it is not applied, and the result has only its `network` and
   * `auth`.
   * @throws {ArmatureError} `config.unreadable` if there is no file to read, `config.invalid` if its text cannot be
   * applied (`details.problems`)
   */
  async load(): Promise<MachineConfig> {
    const { source } = this.#options;
    this.#loaded = await readStartupConfig(this.#options, this.#applier.persisted);
    const { config, problems } = this.#loaded.parsed;
    if (isTooLargeForMemory(this.#loaded.parsed)) {
      // Otherwise only a log would say why the program ended. This way the page shows it, and a smaller text can be
      // stored.
      const reachable = this.#options.parse(membersAlone(this.#loaded.text, ['network', 'auth'])).config;
      if (reachable !== undefined) return reachable;
    }
    if (config === undefined) {
      const errors = problems.filter(({ severity }) => severity === 'error');
      throw new ArmatureError(
        'config.invalid',
        `${source.path} cannot be used; what is wrong with it is listed above.`,
        {
          details: { problems: errors },
        },
      );
    }
    this.#applier.setReadOnly(!(await source.isWritable()));
    return config;
  }

  /** Applies what {@link load} read, and follows the file from then on. Settles when the first text is in force. */
  async start(): Promise<void> {
    if (this.#loaded === undefined) throw new ArmatureError('internal.bug', 'The configuration was started unread.');
    const { text, parsed, details, waiting } = this.#loaded;
    this.#loaded = undefined;
    this.#applier.dispatch(
      waiting === undefined
        ? { kind: 'stored', text, parsed, details }
        : { kind: 'resumed', text, parsed, details, waiting },
    );
    this.#options.source.watch((change) => this.#onSourceChange(change));
    await this.#applier.settled();
  }

  /** Stops following the file. A text that is on trial or deferred stays so, and the next start continues with it. */
  stop(): void {
    this.#isStopped = true;
    this.#applier.stop();
    this.#options.source.close();
  }

  /** Every problem of a text, including those that running modules report. */
  async validate(text: string): Promise<readonly Problem[]> {
    return this.#problemsOf(this.#options.parse(text));
  }

  /** What applying the text would do. `plan` is undefined if the text cannot be applied. */
  async plan(text: string): Promise<{ readonly plan: Plan | undefined; readonly problems: readonly Problem[] }> {
    const parsed = this.#options.parse(text);
    const problems = await this.#problemsOf(parsed);
    // After the modules were asked, because their answers tell more about dependencies.
    const plan = parsed.config === undefined ? undefined : this.#options.plan(this.running, parsed.config);
    return { plan, problems };
  }

  async #problemsOf(parsed: ParsedConfig): Promise<readonly Problem[]> {
    const theirs = (await this.#options.askModules?.(parsed)) ?? [];
    return theirs.length === 0 ? parsed.problems : byPlace([...parsed.problems, ...theirs]);
  }

  /**
   * Stores a text that was written from `baseRevision`, and starts to apply it.
   * @throws {ArmatureError} `config.read_only`, `config.unreadable`, or `file.unwritable` if the text for a rollback
   * cannot be saved; then nothing is changed
   */
  apply(request: ApplyRequest): Promise<ApplyOutcome> {
    return this.#mutex.run(() => this.#apply(request));
  }

  /**
   * Carries out the text that waits for its maintenance window, whatever the sensor says. Returns its revision.
   * @param by who decided this
   * @throws {ArmatureError} `call.failed_precondition` if no text of that revision is waiting
   */
  applyNow(revision: string, by: string): Promise<string> {
    return this.#mutex.run(async () => {
      const { pending, stored } = this.#applier.state;
      if (pending?.revision !== revision) {
        throw new ArmatureError(
          'call.failed_precondition',
          `Configuration ${revision === '' ? '""' : revision} is not deferred (stored is ${stored.revision}): it is applied already, or another one replaced it. Watch says which.`,
        );
      }
      await this.#release(pending, () => {
        const why = this.#applier.state.pending?.reason || 'maintenance is not allowed yet';
        this.#options.logger.warn(
          `configuration ${revision} is carried out now, as ${by} decided, although it waited: ${why}`,
        );
        return Promise.resolve(true);
      });
      return revision;
    });
  }

  /**
   * Keeps the text on trial or rolls it back. Returns the revision that is stored afterwards.
   * @throws {ArmatureError} `call.failed_precondition` if no text of that revision is on trial
   */
  endTrial(revision: string, keep: boolean): Promise<string> {
    return this.#mutex.run(async () => {
      const { trial, stored } = this.#applier.state;
      if (trial?.revision !== revision) {
        throw new ArmatureError(
          'call.failed_precondition',
          `Configuration ${revision === '' ? '""' : revision} is not on trial (stored is ${stored.revision}): it was already kept or rolled back. Watch says which.`,
        );
      }
      if (keep) this.#applier.dispatch({ kind: 'confirmed', terms: trial, why: 'it was confirmed' });
      else {
        const unready = this.#applier.unready();
        const state = unready.length === 0 ? '' : `: ${unreadySentence(unready, 'ready yet')}`;
        await this.#rollBack(trial, `, on request${state}`, unready);
      }
      return this.#applier.state.stored.revision;
    });
  }

  // Storing a text.

  async #apply(request: ApplyRequest): Promise<ApplyOutcome> {
    const { text, baseRevision, returnAfterMs } = request;
    if (baseRevision !== this.#applier.state.stored.revision) return this.#conflict();
    const parsed = this.#options.parse(text);
    if (parsed.config === undefined) return { kind: 'rejected', problems: parsed.problems };
    const plan = this.#options.plan(this.running, parsed.config);
    const revision = revisionOf(text);
    // Before the text is stored: if the server ends in between, the next start ignores a record of another text.
    const deferral = mustDefer(this.#applier.state, plan)
      ? deferralOf(this.#applier.state, revision, returnAfterMs, this.#options.clock.now())
      : undefined;
    const trialTerms = deferral === undefined ? this.#termsFor(revision, parsed.config, returnAfterMs) : undefined;
    if (deferral !== undefined) await this.#applier.persisted.deferral.save(deferral);
    if (trialTerms !== undefined) await this.#applier.persisted.trial.save(trialTerms);
    const { author, authorKeyId, note, restoredFrom = 0 } = request;
    const subjects = subjectsOf(plan);
    const { summary } = plan;
    const origin: ConfigOrigin = { author, authorKeyId, note, summary, subjects, restoredFrom, isRollback: false };
    const restoreRecords = async (): Promise<void> => {
      if (deferral !== undefined) await this.#applier.persisted.deferral.save(this.#applier.state.pending?.saved);
      if (trialTerms !== undefined) await this.#applier.persisted.trial.save(this.#applier.state.trial);
    };
    try {
      const written = await this.#options.source.write(text, baseRevision, origin);
      if (written.kind === 'conflict') {
        await restoreRecords();
        this.#adopt(written);
        return this.#conflict();
      }
      this.#options.logger.info(
        `configuration ${written.revision} by ${request.author}: ${plan.summary}`,
        note === '' ? {} : { note },
      );
      this.#applier.dispatch({
        kind: 'stored',
        text,
        parsed,
        details: { origin, planned: plan, trialTerms, deferral },
      });
      return { kind: 'applied', revision: written.revision, plan, problems: parsed.problems };
    } catch (thrown) {
      await restoreRecords();
      throw thrown;
    }
  }

  #conflict(): ApplyOutcome {
    const { revision, text } = this.#applier.state.stored;
    return { kind: 'conflict', currentRevision: revision, currentText: text };
  }

  #onSourceChange(change: ConfigChange): void {
    if (change.kind === 'changed') {
      this.#applier.dispatch({
        kind: 'stored',
        text: change.text,
        parsed: this.#options.parse(change.text),
        details: {},
      });
    } else this.#applier.dispatch({ kind: 'unreadable', message: change.message });
  }

  /** Takes over a text that somebody else wrote to the file, unless the file watch has already done so. */
  #adopt({ text, revision }: ConfigText): void {
    if (revision !== this.#applier.state.stored.revision) this.#onSourceChange({ kind: 'changed', text, revision });
  }

  // Pending texts and texts on trial.

  /** Called when the sensor has just allowed maintenance. Never rejects: a failure is retried. */
  async #onAllowed(pending: Pending): Promise<void> {
    const { logger, gate } = this.#options;
    const { revision } = pending;
    try {
      await this.#mutex.run(() =>
        this.#release(pending, async () => {
          // Waiting for the mutex may have taken long: the window may be closed again.
          const { isAllowed } = await gate.ask(this.running?.maintenance);
          if (isAllowed) logger.info(`configuration ${revision} is applied: maintenance is allowed`);
          return isAllowed;
        }),
      );
    } catch (thrown) {
      logger.error(`configuration ${revision} stays deferred: ${toArmatureError(thrown).message}`);
    }
  }

  /** Call it with the mutex held. @param mayStart asked at the last moment */
  async #release({ revision, config, saved }: Pending, mayStart: () => Promise<boolean>): Promise<void> {
    const found = (): Pending | undefined =>
      this.#applier.state.pending?.revision === revision && !this.#isStopped ? this.#applier.state.pending : undefined;
    if (found() === undefined) return;
    const terms = this.#termsFor(revision, config, saved.returnAfterMs);
    if (terms !== undefined) await this.#applier.persisted.trial.save(terms);
    const isAllowed = await mayStart();
    const pending = found();
    if (isAllowed && pending !== undefined) this.#applier.dispatch({ kind: 'released', pending, terms });
    else if (terms !== undefined) await this.#applier.persisted.trial.save(this.#applier.state.trial);
  }

  #termsFor(revision: string, config: MachineConfig, waitMs: number): TrialTerms | undefined {
    const { running, trial } = this.#applier.state;
    if (waitMs === 0 || running === undefined) return undefined;
    return trialTermsFor({ revision, config, waitMs }, trial, running.text, this.#options.resources.ready());
  }

  /** Rolls back a text on trial, unless another one has replaced it. Call it with the mutex held. */
  async #rollBack(terms: TrialTerms, why: string, unready: readonly Unready[]): Promise<void> {
    const { source, logger, parse } = this.#options;
    if (this.#applier.state.trial !== terms || this.#isStopped) return;
    const { revision, goodText, readyBefore } = terms;
    const { pending, stored } = this.#applier.state;
    const text = pending === undefined ? stored.text : this.runningText;
    const rolledBack = { revision, text, why, unready: unready.map(({ name }) => name), readyBefore };
    this.#applier.stopTrialWait();
    if (pending !== undefined) {
      logger.warn(`configuration ${revision} is rolled back to the previous one${why}`);
      this.#applier.dispatch({ kind: 'rolled-back-while-pending', parsed: parse(goodText), rolledBack });
      return;
    }
    try {
      const origin = rollbackOrigin(why);
      const written = await source.write(goodText, revision, origin);
      if (written.kind === 'conflict') {
        logger.warn(`configuration ${revision} is not rolled back, because ${source.path} was changed`);
        this.#adopt(written);
        return;
      }
      logger.warn(`configuration ${revision} is rolled back to ${written.revision}${why}`);
      this.#applier.dispatch({
        kind: 'stored',
        text: goodText,
        parsed: parse(goodText),
        details: { origin, rolledBack },
      });
    } catch (thrown) {
      // The machine runs what is stored, so that a restart changes nothing.
      const reason = toArmatureError(thrown).message;
      const message = `Not rolled back to the previous configuration${why}. It cannot be stored: ${reason}`;
      this.#applier.dispatch({ kind: 'rollback-failed', terms, message });
    }
  }
}
