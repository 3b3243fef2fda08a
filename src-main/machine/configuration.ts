import { ArmatureError, toArmatureError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Problem } from '../../proto/config/problem.ts';
import type { ConfigFile, ConfigFileChange } from './config/config-file.ts';
import type { MachineConfig, ParsedConfig } from './config/machine-config.ts';
import type { Plan } from './config/plan.ts';
import { revisionOf } from './config/revision.ts';

/** How the latest text fared. */
export interface Outcome {
  readonly kind: 'applying' | 'applied' | 'applied-with-failures' | 'rejected';
  readonly revision: string;
  readonly message: string;
  /** Wall-clock time, milliseconds. */
  readonly at: number;
}

/** The stored text and how far the machine has followed it. Immutable. */
export interface ConfigState {
  readonly text: string;
  readonly revision: string;
  readonly source: 'file' | 'none';
  readonly path: string;
  readonly appliedRevision: string;
  readonly appliedAt: number;
  readonly problems: readonly Problem[];
  readonly outcome: Outcome;
  readonly isReadOnly: boolean;
}

export interface ApplyRequest {
  readonly text: string;
  readonly baseRevision: string;
  readonly author: string;
  readonly note: string;
}

export type ApplyOutcome =
  | { readonly kind: 'applied'; readonly revision: string; readonly plan: Plan; readonly problems: readonly Problem[] }
  | { readonly kind: 'conflict'; readonly currentRevision: string; readonly currentText: string }
  | { readonly kind: 'rejected'; readonly problems: readonly Problem[] };

export interface ConfigurationParts {
  readonly file: ConfigFile;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parse: (text: string) => ParsedConfig;
  readonly plan: (from: MachineConfig | undefined, to: MachineConfig) => Plan;
  /** Takes over what is machine-wide: logs, sessions, access. Called before the resources change. */
  readonly applySettings: (plan: Plan) => void;
  /** Carries out the plan; settles with one line for each resource that did not become ready. */
  readonly execute: (plan: Plan, revision: string) => Promise<readonly string[]>;
}

/**
 * Owns the configuration of this machine: one pipeline from text to plan to
 * running machine, whether the text comes from the file at start, from an edit
 * of the file, or from Apply (B1.6). A text that cannot be applied changes
 * nothing but its own list of problems.
 */
export class Configuration {
  readonly #parts: ConfigurationParts;
  readonly #listeners = new Set<() => void>();
  #running: MachineConfig | undefined;
  #loaded: { readonly text: string; readonly parsed: ParsedConfig } | undefined;
  #state: ConfigState;

  constructor(parts: ConfigurationParts) {
    this.#parts = parts;
    this.#state = {
      text: '',
      revision: '',
      source: 'none',
      path: parts.file.path,
      appliedRevision: '',
      appliedAt: parts.clock.now(),
      problems: [],
      outcome: { kind: 'applying', revision: '', message: '', at: parts.clock.now() },
      isReadOnly: false,
    };
  }

  get state(): ConfigState {
    return this.#state;
  }

  /** What the machine runs now. */
  get running(): MachineConfig | undefined {
    return this.#running;
  }

  /** Calls back after every change of {@link state}. Returns its undoing. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Reads the file for the first time, without applying it.
   * @throws {ArmatureError} `config.unreadable` where there is no file to read,
   *   `config.invalid` where its text cannot be applied (`details.problems`)
   */
  async load(): Promise<MachineConfig> {
    const { file } = this.#parts;
    const { text } = await file.read();
    const parsed = this.#parts.parse(text);
    if (parsed.config === undefined) {
      const problems = parsed.problems.filter(({ severity }) => severity === 'error');
      throw new ArmatureError('config.invalid', `${file.path} cannot be used; what is wrong with it is listed above.`, {
        details: { problems },
      });
    }
    this.#loaded = { text, parsed };
    this.#setState({ isReadOnly: !(await file.isWritable()) });
    return parsed.config;
  }

  /** Applies what {@link load} read and follows the file from then on. Settles when the first text is in force. */
  async start(): Promise<void> {
    if (this.#loaded === undefined) throw new ArmatureError('internal.bug', 'The configuration was started unread.');
    const { text, parsed } = this.#loaded;
    this.#loaded = undefined;
    const following = this.#follow(text, parsed);
    this.#parts.file.watch((change) => this.#onFileChange(change));
    await following;
  }

  stop(): void {
    this.#parts.file.close();
  }

  validate(text: string): readonly Problem[] {
    return this.#parts.parse(text).problems;
  }

  /** What applying the text would do; `plan` is undefined where it cannot be applied. */
  plan(text: string): { readonly plan: Plan | undefined; readonly problems: readonly Problem[] } {
    const { config, problems } = this.#parts.parse(text);
    return { plan: config === undefined ? undefined : this.#parts.plan(this.#running, config), problems };
  }

  /** Stores a text that was written from `baseRevision` and starts to apply it. */
  async apply(request: ApplyRequest): Promise<ApplyOutcome> {
    if (request.baseRevision !== this.#state.revision) return this.#conflict();
    const parsed = this.#parts.parse(request.text);
    if (parsed.config === undefined) return { kind: 'rejected', problems: parsed.problems };
    const plan = this.#parts.plan(this.#running, parsed.config);
    const written = await this.#parts.file.write(request.text, request.baseRevision);
    if (written.kind === 'conflict') {
      this.#onFileChange({ kind: 'changed', text: written.text, revision: written.revision });
      return this.#conflict();
    }
    this.#parts.logger.info(`configuration ${written.revision} by ${request.author}: ${plan.summary}`, {
      note: request.note,
    });
    void this.#follow(request.text, parsed);
    return { kind: 'applied', revision: written.revision, plan, problems: parsed.problems };
  }

  #conflict(): ApplyOutcome {
    return { kind: 'conflict', currentRevision: this.#state.revision, currentText: this.#state.text };
  }

  #onFileChange(change: ConfigFileChange): void {
    if (change.kind === 'changed') {
      void this.#follow(change.text, this.#parts.parse(change.text));
      return;
    }
    this.#parts.logger.warn(`${change.message} The machine goes on with configuration ${this.#state.appliedRevision}.`);
    this.#setState({ outcome: this.#outcome('rejected', this.#state.revision, change.message) });
  }

  /** Takes over a text: states what is wrong with it and, where it can be applied, applies it. */
  async #follow(text: string, parsed: ParsedConfig): Promise<void> {
    const { config, problems } = parsed;
    const revision = revisionOf(text);
    this.#logProblems(problems);
    if (config === undefined) {
      const message = `The text cannot be applied; the machine goes on with ${this.#state.appliedRevision}.`;
      this.#parts.logger.error(message, { problems: problems.length });
      this.#setState({
        text,
        revision,
        source: 'file',
        problems,
        outcome: this.#outcome('rejected', revision, message),
      });
      return;
    }
    const plan = this.#parts.plan(this.#running, config);
    this.#running = config;
    this.#setState({
      text,
      revision,
      source: 'file',
      problems,
      outcome: this.#outcome('applying', revision, plan.summary),
    });
    try {
      this.#parts.applySettings(plan);
      const failures = await this.#parts.execute(plan, revision);
      if (this.#state.revision !== revision) return; // a newer text has taken over and speaks for itself
      const kind = failures.length === 0 ? 'applied' : 'applied-with-failures';
      const message = failures.length === 0 ? plan.summary : failures.join('; ');
      this.#parts.logger.info(`configuration ${revision} is in force: ${plan.summary}`, { failures: failures.length });
      this.#setState({
        appliedRevision: revision,
        appliedAt: this.#parts.clock.now(),
        outcome: this.#outcome(kind, revision, message),
      });
    } catch (thrown) {
      const { message } = toArmatureError(thrown);
      this.#parts.logger.error(`configuration ${revision} was not carried out: ${message}`, { error: thrown });
      this.#setState({ outcome: this.#outcome('rejected', revision, message) });
    }
  }

  #outcome(kind: Outcome['kind'], revision: string, message: string): Outcome {
    return { kind, revision, message, at: this.#parts.clock.now() };
  }

  #logProblems(problems: readonly Problem[]): void {
    for (const { severity, line, column, message } of problems) {
      const text = `${this.#parts.file.path}:${line}:${column}: ${message}`;
      if (severity === 'error') this.#parts.logger.error(text);
      else this.#parts.logger.warn(text);
    }
  }

  #setState(changed: Partial<ConfigState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}
