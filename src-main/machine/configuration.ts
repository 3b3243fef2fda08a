import { ArmatureError, toArmatureError } from '../base/errors.ts';
import type { Problem } from '../../proto/config/problem.ts';
import type { ConfigFileChange, ConfigText } from './config/config-file.ts';
import type { MachineConfig, ParsedConfig } from './config/machine-config.ts';
import type { Plan } from './config/plan.ts';
import { OwnNames } from './config/own-names.ts';
import { logProblems } from './config/problem-log.ts';
import { revisionOf } from './config/revision.ts';
import type {
  ApplyOutcome,
  ApplyRequest,
  ConfigState,
  ConfigurationParts,
  Course,
  FirstText,
  Outcome,
  Returned,
  Running,
} from './config-state.ts';
import { readFirstText } from './first-text.ts';
import { formatSeconds } from './graph/description.ts';
import { SafeApply } from './safe-apply.ts';
import { inOneLine, unreadyLines, unreadySentence } from './trial-words.ts';
import { unreadyOf, type Unready } from './trial.ts';
import type { Probation } from './trial-record.ts';

/**
 * Owns the configuration of this machine: one pipeline from text to plan to
 * running machine, whether the text comes from the file at start, from an edit
 * of the file, or from Apply (B1.6). A text that cannot be applied changes
 * nothing but its own list of problems. A text that was applied with a time to
 * prove itself is left again, through the same pipeline, when that is over.
 */
export class Configuration {
  readonly #parts: ConfigurationParts;
  readonly #listeners = new Set<() => void>();
  readonly #safe: SafeApply;
  /** What the machine was last told to be, and has followed or follows. */
  #running: Running | undefined;
  /** Counts texts that were carried out: only the newest speaks about how it went. */
  #lastTurn = 0;
  readonly #ownNames = new OwnNames();
  #loaded: FirstText | undefined;
  /** Ends of what stores texts: one at a time. */
  #storing: Promise<unknown> = Promise.resolve();
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
      onChange: () => this.#setState({ trial: this.#safe.open }),
      onReady: (probation) => this.#keep(`all that was ready before ${probation.revision} is ready again`),
      onLate: (probation, unready) => {
        const why = unreadySentence(unready, `ready in ${formatSeconds(probation.waitMs)}`);
        void this.#inTurn(() => this.#goBack(probation, `: ${why}`, unready));
      },
    });
    this.#state = {
      text: '',
      revision: '',
      source: 'none',
      path: parts.file.path,
      appliedRevision: '',
      appliedAt: clock.now(),
      problems: [],
      outcome: { kind: 'applying', revision: '', message: '', at: clock.now() },
      trial: undefined,
      isReadOnly: false,
    };
  }

  get state(): ConfigState {
    return this.#state;
  }

  /** What the machine runs now. */
  get running(): MachineConfig | undefined {
    return this.#running?.config;
  }

  /**
   * What the public API calls a revision: the document's own `revision`, else the
   * hash of its text (wire contract 2.1, GetMachineStatus).
   */
  publicRevision(revision: string): string {
    return this.#ownNames.of(revision);
  }

  /** Calls back after every change of {@link state}. Returns its undoing. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Reads the file for the first time, without applying it. Where the server
   * ended while that text was on trial, it is on trial again for the same time;
   * where it ended twice, or the text cannot be used, the one before is stored
   * again and read.
   * @throws {ArmatureError} `config.unreadable` where there is no file to read,
   *   `config.invalid` where its text cannot be applied (`details.problems`)
   */
  async load(): Promise<MachineConfig> {
    const { file } = this.#parts;
    this.#loaded = await readFirstText(this.#parts, this.#safe);
    const { config, problems } = this.#loaded.parsed;
    if (config === undefined) {
      const errors = problems.filter(({ severity }) => severity === 'error');
      throw new ArmatureError('config.invalid', `${file.path} cannot be used; what is wrong with it is listed above.`, {
        details: { problems: errors },
      });
    }
    this.#setState({ isReadOnly: !(await file.isWritable()) });
    return config;
  }

  /** Applies what {@link load} read and follows the file from then on. Settles when the first text is in force. */
  async start(): Promise<void> {
    if (this.#loaded === undefined) throw new ArmatureError('internal.bug', 'The configuration was started unread.');
    const { text, parsed, course } = this.#loaded;
    this.#loaded = undefined;
    const following = this.#follow(text, parsed, course);
    this.#parts.file.watch((change) => this.#onFileChange(change));
    await following;
  }

  /** Follows nothing any more. A text on trial stays so: the next start goes on with it. */
  stop(): void {
    this.#isStopped = true;
    this.#safe.halt();
    this.#parts.file.close();
  }

  validate(text: string): readonly Problem[] {
    return this.#parts.parse(text).problems;
  }

  /** What applying the text would do; `plan` is undefined where it cannot be applied. */
  plan(text: string): { readonly plan: Plan | undefined; readonly problems: readonly Problem[] } {
    const { config, problems } = this.#parts.parse(text);
    return { plan: config === undefined ? undefined : this.#parts.plan(this.running, config), problems };
  }

  /**
   * Stores a text that was written from `baseRevision` and starts to apply it.
   * @throws {ArmatureError} `config.read_only`, `config.unreadable`, or `file.unwritable`
   *   where what to go back to cannot be kept; nothing is changed then
   */
  apply(request: ApplyRequest): Promise<ApplyOutcome> {
    return this.#inTurn(() => this.#apply(request));
  }

  /**
   * Decides about the text on trial now: stays with it, or leaves it. Answers with the revision that is stored then.
   * @throws {ArmatureError} `call.failed_precondition` where no text of that revision is on trial
   */
  endTrial(revision: string, keep: boolean): Promise<string> {
    return this.#inTurn(async () => {
      const { probation } = this.#safe;
      if (probation?.revision !== revision) {
        throw new ArmatureError(
          'call.failed_precondition',
          `Configuration ${revision === '' ? '""' : revision} is not on trial (stored is ${this.#state.revision}): it was kept or left already. Watch says which.`,
        );
      }
      if (keep) this.#keep('somebody decided so');
      else {
        const unready = this.#safe.unready();
        const state = unready.length === 0 ? '' : `: ${unreadySentence(unready, 'ready yet')}`;
        await this.#goBack(probation, `, as somebody asked${state}`, unready);
      }
      return this.#state.revision;
    });
  }

  async #apply(request: ApplyRequest): Promise<ApplyOutcome> {
    const { text, baseRevision, returnAfterMs } = request;
    if (baseRevision !== this.#state.revision) return this.#conflict();
    const parsed = this.#parts.parse(text);
    if (parsed.config === undefined) return { kind: 'rejected', problems: parsed.problems };
    const plan = this.#parts.plan(this.running, parsed.config);
    const probation =
      returnAfterMs === 0 || this.#running === undefined
        ? undefined
        : this.#safe.propose(revisionOf(text), parsed.config, returnAfterMs, this.#running.text);
    // Before the text is stored: a server that ends in between finds a record that speaks of the text it has, or of none.
    if (probation !== undefined) await this.#safe.record(probation);
    try {
      const written = await this.#parts.file.write(text, baseRevision);
      if (written.kind === 'conflict') {
        if (probation !== undefined) await this.#safe.record(this.#safe.probation);
        this.#takeOver(written);
        return this.#conflict();
      }
      this.#parts.logger.info(`configuration ${written.revision} by ${request.author}: ${plan.summary}`, {
        note: request.note,
      });
      void this.#follow(text, parsed, { planned: plan, probation });
      return { kind: 'applied', revision: written.revision, plan, problems: parsed.problems };
    } catch (thrown) {
      if (probation !== undefined) await this.#safe.record(this.#safe.probation);
      throw thrown;
    }
  }

  #conflict(): ApplyOutcome {
    return { kind: 'conflict', currentRevision: this.#state.revision, currentText: this.#state.text };
  }

  #onFileChange(change: ConfigFileChange): void {
    if (change.kind === 'changed') {
      void this.#follow(change.text, this.#parts.parse(change.text), {});
      return;
    }
    const revision = this.#running?.revision ?? 'nothing';
    this.#parts.logger.warn(`${change.message} The machine goes on with configuration ${revision}.`);
    this.#setState({ outcome: this.#outcome('rejected', this.#state.revision, change.message) });
  }

  /** Somebody else's text was found in the file: taken over already where it came through the watch, else now. */
  #takeOver({ text, revision }: ConfigText): void {
    if (revision !== this.#state.revision) this.#onFileChange({ kind: 'changed', text, revision });
  }

  /** Takes over a text: states what is wrong with it and, where it can be applied, applies it. Never rejects. */
  async #follow(text: string, parsed: ParsedConfig, course: Course): Promise<void> {
    const { planned, probation, returned } = course;
    const { config, problems } = parsed;
    const revision = revisionOf(text);
    const stored = { text, revision, source: 'file', problems, trial: undefined } as const;
    logProblems(problems, this.#parts.file.path, this.#parts.logger);
    // Whatever was on trial is so no more: another text is stored now.
    this.#safe.enter(probation);
    if (config === undefined) {
      this.#reject(stored, 'it has errors that leave nothing to run');
      return;
    }
    const before = this.#running;
    let plan: Plan;
    try {
      const isUpToDate = planned !== undefined && planned.from === before?.config;
      plan = isUpToDate ? planned : this.#parts.plan(before?.config, config);
    } catch (thrown) {
      this.#reject(stored, toArmatureError(thrown).message);
      return;
    }
    const turn = ++this.#lastTurn;
    this.#ownNames.add(revision, config.revision);
    this.#running = { config, revision, text, summary: plan.summary };
    const applying = this.#outcome('applying', revision, plan.summary);
    this.#setState({ ...stored, outcome: returned === undefined ? applying : this.#returnedResult(returned, false) });
    // A newer text that is carried out speaks for itself; one that cannot be has its own outcome.
    const isNewest = (): boolean => turn === this.#lastTurn;
    const ifStored = (outcome: Outcome): Partial<ConfigState> => (this.#state.revision === revision ? { outcome } : {});
    try {
      this.#parts.applySettings(plan);
      const executed = this.#parts.execute(plan, revision);
      this.#safe.start(config);
      await executed;
      if (!isNewest()) return;
      const outcome = returned === undefined ? this.#result() : this.#returnedResult(returned, true);
      this.#parts.logger.info(`configuration ${revision} is in force: ${plan.summary}`, {
        failures: this.#parts.failures().length,
      });
      this.#setState({ appliedRevision: revision, appliedAt: this.#parts.clock.now(), ...ifStored(outcome) });
    } catch (thrown) {
      const { message } = toArmatureError(thrown);
      this.#parts.logger.error(`configuration ${revision} was not carried out: ${message}`, { error: thrown });
      if (!isNewest()) return;
      if (probation !== undefined && this.#state.revision === revision) {
        // It may count as kept already: nothing has touched the resources.
        this.#safe.enter(probation);
        await this.#inTurn(() => this.#goBack(probation, `: ${message}`, []));
        return;
      }
      // Carried out by half: the next plan has to begin where this one did, or it would leave out the rest.
      this.#running = before;
      this.#setState(ifStored(this.#outcome('rejected', revision, message)));
    }
  }

  #reject(stored: Pick<ConfigState, 'text' | 'revision' | 'source' | 'problems' | 'trial'>, why: string): void {
    const { problems, revision } = stored;
    this.#safe.enter(undefined);
    const message = `The text cannot be applied, ${why}; the machine goes on with ${this.#running?.revision ?? 'nothing'}.`;
    this.#parts.logger.error(message, { problems: problems.length });
    this.#setState({ ...stored, outcome: this.#outcome('rejected', revision, message) });
  }

  /** The text on trial is not on trial any more and stays. */
  #keep(why: string): void {
    const { revision, outcome } = this.#state;
    this.#parts.logger.info(`configuration ${revision} is kept: ${why}`);
    this.#safe.enter(undefined);
    const hasEnded = outcome.kind === 'applied' || outcome.kind === 'applied-with-failures';
    this.#setState({ trial: undefined, ...(hasEnded ? { outcome: this.#result() } : {}) });
  }

  /** Leaves a text on trial for the one before it, unless another took its place. In turn with what stores texts. */
  async #goBack(probation: Probation, why: string, unready: readonly Unready[]): Promise<void> {
    if (this.#safe.probation !== probation || this.#isStopped) return;
    const { revision, goodText, readyBefore } = probation;
    const { text } = this.#state;
    const { file, logger, parse } = this.#parts;
    this.#safe.halt();
    this.#setState({ trial: undefined });
    try {
      const written = await file.write(goodText, revision);
      if (written.kind === 'conflict') {
        logger.warn(`configuration ${revision} is not left for the one before, since somebody changed ${file.path}`);
        this.#takeOver(written);
        return;
      }
      logger.warn(`configuration ${revision} is left for ${written.revision}${why}`);
      const names = unready.map(({ name }) => name);
      void this.#follow(goodText, parse(goodText), { returned: { revision, text, why, unready: names, readyBefore } });
    } catch (thrown) {
      // The machine runs what is stored, or a restart would be a surprise.
      const message = `Not returned to the configuration before${why}. It cannot be stored: ${toArmatureError(thrown).message}`;
      logger.error(message);
      this.#safe.enter(undefined);
      this.#setState({ outcome: this.#outcome('applied-with-failures', revision, message) });
    }
  }

  /** How the configuration in force is doing. */
  #result(): Outcome {
    const { revision = '', summary = '' } = this.#running ?? {};
    const failures = this.#parts.failures();
    if (failures.length === 0) return this.#outcome('applied', revision, summary);
    return this.#outcome('applied-with-failures', revision, inOneLine(failures));
  }

  /** @param isDone whether the way back was carried out: what is not ready then was not helped by it */
  #returnedResult({ revision, text, why, unready, readyBefore }: Returned, isDone: boolean): Outcome {
    const still = isDone ? unreadyOf(readyBefore, (name) => this.#parts.resources.obstacleOf(name)) : [];
    const end = still.length === 0 ? '' : `. Going back did not help: ${unreadyLines(still)}`;
    const message = `Returned to the configuration before${why}${end}`;
    return { ...this.#outcome('returned', revision, message), returnedText: text, unready };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#storing.then(work);
    // The caller sees the failure; the next in turn must not.
    this.#storing = result.catch(() => undefined);
    return result;
  }

  #outcome(kind: Outcome['kind'], revision: string, message: string): Outcome {
    return { kind, revision, message, at: this.#parts.clock.now() };
  }

  #setState(changed: Partial<ConfigState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}
