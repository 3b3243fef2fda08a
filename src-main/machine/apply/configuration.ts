import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError } from '../../base/errors.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { ConfigChange, ConfigOrigin, ConfigText } from '../config/source/config-source.ts';
import type { MachineConfig, ParsedConfig } from '../config/machine-config.ts';
import { byPlace } from '../config/problem-list.ts';
import type { Plan } from '../config/plan/plan.ts';
import { subjectsOf } from '../config/plan/plan-summary.ts';
import { revisionOf } from '../../base/revision.ts';
import type {
  ApplyOutcome,
  ApplyRequest,
  ConfigState,
  ConfigurationParts,
  FirstText,
  StateCell,
} from './config-state.ts';
import { Following } from './following.ts';
import { membersAlone } from '../config/reading/memory-need.ts';
import { isTooLargeForMemory } from '../config/reading/parse-config.ts';
import { readFirstText } from './first-text.ts';
import { formatSeconds } from '../graph/description.ts';
import { Deferral } from './deferral.ts';
import { WaitingText } from './waiting-text.ts';
import { SafeApply } from './safe-apply.ts';
import { TrialEnd } from './trial-end.ts';
import { unreadySentence } from './outcome-words.ts';

/**
 * Owns the configuration of this machine: one pipeline from text to plan to running machine,
 * whether the text comes from the file at start, from an edit of the file, or from Apply. A text
 * that cannot be applied changes nothing but its own list of problems. A text that was applied with
 * a time to prove itself is rolled back, through the same pipeline, when that is over.
 */
export class Configuration {
  readonly #parts: ConfigurationParts;
  readonly #changed = new Emitter();
  readonly #safe: SafeApply;
  readonly #deferral: Deferral;
  readonly #following: Following;
  readonly #trialEnd: TrialEnd;
  readonly #waiting: WaitingText;
  #loaded: FirstText | undefined;
  /** What stores texts takes turns. */
  readonly #turns = new Mutex();
  #isStopped = false;
  #state: ConfigState;

  constructor(parts: ConfigurationParts) {
    this.#parts = parts;
    const { clock, logger, trialRecord: record, resources } = parts;
    this.#safe = new SafeApply({
      clock,
      logger,
      record,
      resources,
      onChange: () => this.#setState({ trial: this.#trialEnd.open }),
      onReady: (probation) =>
        this.#trialEnd.keep(probation, `all that was ready before ${probation.revision} is ready again`),
      onLate: (probation, unready) => {
        const why = unreadySentence(unready, `ready in ${formatSeconds(probation.waitMs)}`);
        void this.#turns.run(() => this.#trialEnd.goBack(probation, `: ${why}`, unready));
      },
    });
    const cell = this.#cell();
    this.#deferral = new Deferral({
      ...parts,
      record: parts.deferralRecord,
      window: () => this.running?.maintenance,
      onReason: (held) => this.#following.showWaiting(held),
      onAllowed: (held) => this.#waiting.onAllowed(held),
    });
    this.#following = new Following({
      ...parts,
      safe: this.#safe,
      deferral: this.#deferral,
      cell,
      onTrialFailed: (probation, why) => this.#turns.run(() => this.#trialEnd.goBack(probation, why, [])),
    });
    this.#trialEnd = new TrialEnd({
      ...parts,
      safe: this.#safe,
      deferral: this.#deferral,
      following: this.#following,
      cell,
      isStopped: () => this.#isStopped,
      takeOver: (found) => this.#takeOver(found),
    });
    this.#waiting = new WaitingText({
      logger,
      safe: this.#safe,
      deferral: this.#deferral,
      following: this.#following,
      storedRevision: () => this.#state.revision,
      inTurn: (work) => this.#turns.run(work),
    });
    this.#state = {
      text: '',
      revision: '',
      source: 'none',
      path: parts.source.path,
      appliedRevision: '',
      appliedAt: clock.now(),
      problems: [],
      outcome: { kind: 'applying', revision: '', message: '', at: clock.now() },
      trial: undefined,
      origin: { author: '', note: '', summary: '', subjects: [], restoredFrom: 0, isReturn: false },
      isReadOnly: false,
    };
  }

  get state(): ConfigState {
    return this.#state;
  }

  /** What the machine runs now. */
  get running(): MachineConfig | undefined {
    return this.#following.running?.config;
  }

  /** Its text; '' where nothing runs yet. */
  get runningText(): string {
    return this.#following.running?.text ?? '';
  }

  /**
   * What the public API calls a revision: the document's own `revision`, else the hash of its text.
   */
  publicRevision(revision: string): string {
    return this.#following.publicRevision(revision);
  }

  /** Calls back after every change of {@link state}. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /**
   * Reads the text for the first time, without applying it. Where the server
   * ended while that text was on trial, it is on trial again for the same time;
   * where it ended twice, or the text cannot be used, the one before is stored
   * again and read. Where the text waited for its maintenance window, what ran
   * meanwhile is what the machine begins with.
   * A text that is too large for the memory of this program is not applied, and what is returned has its `network` and
   * `auth` alone.
   * @throws {ArmatureError} `config.unreadable` where there is no file to read,
   *   `config.invalid` where its text cannot be applied (`details.problems`)
   */
  async load(): Promise<MachineConfig> {
    const { source } = this.#parts;
    this.#loaded = await readFirstText(this.#parts, this.#safe, this.#deferral);
    const { config, problems } = this.#loaded.parsed;
    if (isTooLargeForMemory(this.#loaded.parsed)) {
      // Ending would be told to nobody but a log: so whoever opens the page can read why, and store a smaller one.
      const door = this.#parts.parse(membersAlone(this.#loaded.text, ['network', 'auth'])).config;
      if (door !== undefined) return door;
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
    this.#setState({ isReadOnly: !(await source.isWritable()) });
    return config;
  }

  /** Applies what {@link load} read and follows the file from then on. Settles when the first text is in force. */
  async start(): Promise<void> {
    if (this.#loaded === undefined) throw new ArmatureError('internal.bug', 'The configuration was started unread.');
    const { text, parsed, course, waiting } = this.#loaded;
    this.#loaded = undefined;
    const following =
      waiting === undefined
        ? this.#following.follow(text, parsed, course)
        : this.#following.resume(text, parsed, course, waiting);
    this.#parts.source.watch((change) => this.#onSourceChange(change));
    await following;
  }

  /** Follows nothing any more. A text on trial, or one that waits, stays so: the next start goes on with it. */
  stop(): void {
    this.#isStopped = true;
    this.#safe.halt();
    this.#deferral.halt();
    this.#parts.source.close();
  }

  /** Every problem of a text, those that running modules have with it included. */
  async validate(text: string): Promise<readonly Problem[]> {
    return this.#problemsOf(this.#parts.parse(text));
  }

  /** What applying the text would do; `plan` is undefined where it cannot be applied. */
  async plan(text: string): Promise<{ readonly plan: Plan | undefined; readonly problems: readonly Problem[] }> {
    const parsed = this.#parts.parse(text);
    const problems = await this.#problemsOf(parsed);
    // After the modules were asked: what resources need of each other is known better then.
    const plan = parsed.config === undefined ? undefined : this.#parts.plan(this.running, parsed.config);
    return { plan, problems };
  }

  async #problemsOf(parsed: ParsedConfig): Promise<readonly Problem[]> {
    const theirs = (await this.#parts.askModules?.(parsed)) ?? [];
    return theirs.length === 0 ? parsed.problems : byPlace([...parsed.problems, ...theirs]);
  }

  /**
   * Stores a text that was written from `baseRevision` and starts to apply it.
   * @throws {ArmatureError} `config.read_only`, `config.unreadable`, or `file.unwritable`
   *   where what to go back to cannot be kept; nothing is changed then
   */
  apply(request: ApplyRequest): Promise<ApplyOutcome> {
    return this.#turns.run(() => this.#apply(request));
  }

  /**
   * Carries out the text that waits for its maintenance window, whatever the sensor says. Answers with its revision.
   * @param by who decided so
   * @throws {ArmatureError} `call.failed_precondition` where no text of that revision waits
   */
  applyNow(revision: string, by: string): Promise<string> {
    return this.#waiting.applyNow(revision, by);
  }

  /**
   * Decides about the text on trial now: stays with it, or leaves it. Answers with the revision that is stored then.
   * @throws {ArmatureError} `call.failed_precondition` where no text of that revision is on trial
   */
  endTrial(revision: string, keep: boolean): Promise<string> {
    return this.#turns.run(() => this.#trialEnd.decide(revision, keep));
  }

  async #apply(request: ApplyRequest): Promise<ApplyOutcome> {
    const { text, baseRevision, returnAfterMs } = request;
    if (baseRevision !== this.#state.revision) return this.#conflict();
    const parsed = this.#parts.parse(text);
    if (parsed.config === undefined) return { kind: 'rejected', problems: parsed.problems };
    const plan = this.#parts.plan(this.running, parsed.config);
    const revision = revisionOf(text);
    const running = this.#following.running;
    // Before the text is stored: a server that ends in between finds a record that speaks of the text it has, or of none.
    const deferral = this.#following.hasToWait(plan)
      ? this.#following.deferralOf(revision, returnAfterMs, this.#parts.clock.now())
      : undefined;
    const probation =
      returnAfterMs === 0 || running === undefined || deferral !== undefined
        ? undefined
        : this.#safe.propose(revision, parsed.config, returnAfterMs, running.text);
    if (deferral !== undefined) await this.#deferral.record(deferral);
    if (probation !== undefined) await this.#safe.record(probation);
    const { author, authorKeyId, note, restoredFrom = 0 } = request;
    const subjects = subjectsOf(plan);
    const { summary } = plan;
    const origin: ConfigOrigin = { author, authorKeyId, note, summary, subjects, restoredFrom, isReturn: false };
    const takeBack = async (): Promise<void> => {
      if (deferral !== undefined) await this.#deferral.unrecord();
      if (probation !== undefined) await this.#safe.record(this.#safe.probation);
    };
    try {
      const written = await this.#parts.source.write(text, baseRevision, origin);
      if (written.kind === 'conflict') {
        await takeBack();
        this.#takeOver(written);
        return this.#conflict();
      }
      this.#parts.logger.info(`configuration ${written.revision} by ${request.author}: ${plan.summary}`, {
        note: request.note,
      });
      void this.#following.follow(text, parsed, { origin, planned: plan, probation, deferral });
      return { kind: 'applied', revision: written.revision, plan, problems: parsed.problems };
    } catch (thrown) {
      await takeBack();
      throw thrown;
    }
  }

  #conflict(): ApplyOutcome {
    return { kind: 'conflict', currentRevision: this.#state.revision, currentText: this.#state.text };
  }

  #onSourceChange(change: ConfigChange): void {
    if (change.kind === 'changed') {
      void this.#following.follow(change.text, this.#parts.parse(change.text), {});
      return;
    }
    const revision = this.#following.running?.revision ?? 'nothing';
    // It is told of again when it is back, and waits anew then.
    this.#following.forgetWaiting();
    this.#parts.logger.warn(`${change.message} The machine goes on with configuration ${revision}.`);
    this.#setState({ outcome: this.#following.outcome('rejected', this.#state.revision, change.message) });
  }

  /** Somebody else's text was found in the file: taken over already where it came through the watch, else now. */
  #takeOver({ text, revision }: ConfigText): void {
    if (revision !== this.#state.revision) this.#onSourceChange({ kind: 'changed', text, revision });
  }

  #cell(): StateCell {
    const current = (): ConfigState => this.#state;
    return {
      get state() {
        return current();
      },
      set: (changed) => this.#setState(changed),
    };
  }

  #setState(changed: Partial<ConfigState>): void {
    this.#state = { ...this.#state, ...changed };
    this.#changed.emit();
  }
}
