import { ArmatureError, toArmatureError } from '../base/errors.ts';
import type { Problem } from '../../proto/config/problem.ts';
import type { ConfigChange, ConfigText } from './config/config-source.ts';
import type { MachineConfig } from './config/machine-config.ts';
import type { Plan } from './config/plan.ts';
import { revisionOf } from './config/revision.ts';
import type {
  ApplyOutcome,
  ApplyRequest,
  ConfigState,
  ConfigurationParts,
  FirstText,
  StateCell,
} from './config-state.ts';
import { Following } from './following.ts';
import { readFirstText } from './first-text.ts';
import { formatSeconds } from './graph/description.ts';
import { SafeApply } from './safe-apply.ts';
import { unreadySentence } from './trial-words.ts';
import type { Unready } from './trial.ts';
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
  readonly #following: Following;
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
    this.#following = new Following({
      ...parts,
      safe: this.#safe,
      cell: this.#cell(),
      onTrialFailed: (probation, why) => this.#inTurn(() => this.#goBack(probation, why, [])),
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

  /**
   * What the public API calls a revision: the document's own `revision`, else the
   * hash of its text (wire contract 2.1, GetMachineStatus).
   */
  publicRevision(revision: string): string {
    return this.#following.publicRevision(revision);
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
    const { source } = this.#parts;
    this.#loaded = await readFirstText(this.#parts, this.#safe);
    const { config, problems } = this.#loaded.parsed;
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
    const { text, parsed, course } = this.#loaded;
    this.#loaded = undefined;
    const following = this.#following.follow(text, parsed, course);
    this.#parts.source.watch((change) => this.#onSourceChange(change));
    await following;
  }

  /** Follows nothing any more. A text on trial stays so: the next start goes on with it. */
  stop(): void {
    this.#isStopped = true;
    this.#safe.halt();
    this.#parts.source.close();
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
      returnAfterMs === 0 || this.#following.running === undefined
        ? undefined
        : this.#safe.propose(revisionOf(text), parsed.config, returnAfterMs, this.#following.running.text);
    // Before the text is stored: a server that ends in between finds a record that speaks of the text it has, or of none.
    if (probation !== undefined) await this.#safe.record(probation);
    try {
      const written = await this.#parts.source.write(text, baseRevision);
      if (written.kind === 'conflict') {
        if (probation !== undefined) await this.#safe.record(this.#safe.probation);
        this.#takeOver(written);
        return this.#conflict();
      }
      this.#parts.logger.info(`configuration ${written.revision} by ${request.author}: ${plan.summary}`, {
        note: request.note,
      });
      void this.#following.follow(text, parsed, { planned: plan, probation });
      return { kind: 'applied', revision: written.revision, plan, problems: parsed.problems };
    } catch (thrown) {
      if (probation !== undefined) await this.#safe.record(this.#safe.probation);
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
    this.#parts.logger.warn(`${change.message} The machine goes on with configuration ${revision}.`);
    this.#setState({ outcome: this.#following.outcome('rejected', this.#state.revision, change.message) });
  }

  /** Somebody else's text was found in the file: taken over already where it came through the watch, else now. */
  #takeOver({ text, revision }: ConfigText): void {
    if (revision !== this.#state.revision) this.#onSourceChange({ kind: 'changed', text, revision });
  }

  /** The text on trial is not on trial any more and stays. */
  #keep(why: string): void {
    const { revision, outcome } = this.#state;
    this.#parts.logger.info(`configuration ${revision} is kept: ${why}`);
    this.#safe.enter(undefined);
    const hasEnded = outcome.kind === 'applied' || outcome.kind === 'applied-with-failures';
    this.#setState({ trial: undefined, ...(hasEnded ? { outcome: this.#following.result() } : {}) });
  }

  /** Leaves a text on trial for the one before it, unless another took its place. In turn with what stores texts. */
  async #goBack(probation: Probation, why: string, unready: readonly Unready[]): Promise<void> {
    if (this.#safe.probation !== probation || this.#isStopped) return;
    const { revision, goodText, readyBefore } = probation;
    const { text } = this.#state;
    const { source, logger, parse } = this.#parts;
    this.#safe.halt();
    this.#setState({ trial: undefined });
    try {
      const written = await source.write(goodText, revision);
      if (written.kind === 'conflict') {
        logger.warn(`configuration ${revision} is not left for the one before, since somebody changed ${source.path}`);
        this.#takeOver(written);
        return;
      }
      logger.warn(`configuration ${revision} is left for ${written.revision}${why}`);
      const names = unready.map(({ name }) => name);
      void this.#following.follow(goodText, parse(goodText), {
        returned: { revision, text, why, unready: names, readyBefore },
      });
    } catch (thrown) {
      // The machine runs what is stored, or a restart would be a surprise.
      const message = `Not returned to the configuration before${why}. It cannot be stored: ${toArmatureError(thrown).message}`;
      logger.error(message);
      this.#safe.enter(undefined);
      this.#setState({ outcome: this.#following.outcome('applied-with-failures', revision, message) });
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#storing.then(work);
    // The caller sees the failure; the next in turn must not.
    this.#storing = result.catch(() => undefined);
    return result;
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
    for (const listener of this.#listeners) listener();
  }
}
