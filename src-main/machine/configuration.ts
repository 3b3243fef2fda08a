import { ArmatureError, toArmatureError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Problem } from '../../proto/config/problem.ts';
import type { ConfigFile, ConfigFileChange } from './config/config-file.ts';
import type { MachineConfig, ParsedConfig } from './config/machine-config.ts';
import type { Plan } from './config/plan.ts';
import { foremost } from './config/problem-list.ts';
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
  /** Carries out the plan; settles with one line for each resource of the machine that failed or waits. */
  readonly execute: (plan: Plan, revision: string) => Promise<readonly string[]>;
}

/** Texts whose own names are kept: resources that fail keep the revision they last ran with. */
const MOST_NAMES = 100;
/** Problems of one text that go to the log; Watch and the command line have more. */
const MOST_PROBLEMS_LOGGED = 100;
/** Lines of a message about many resources; the status of each has the rest. */
const MOST_LINES = 5;

function firstLines(lines: readonly string[]): string {
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
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
  /** What the machine was last told to be, and has followed or follows. */
  #running: { readonly config: MachineConfig; readonly revision: string } | undefined;
  /** Counts texts that were carried out: only the newest speaks about how it went. */
  #lastTurn = 0;
  /** What texts that have a `revision` of their own call themselves, by the hash of the text. */
  readonly #ownNames = new Map<string, string>();
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
    return this.#running?.config;
  }

  /**
   * What the public API calls a revision: the document's own `revision`, else the
   * hash of its text (wire contract 2.1, GetMachineStatus).
   */
  publicRevision(revision: string): string {
    return this.#ownNames.get(revision) ?? revision;
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
    const following = this.#follow(text, parsed, undefined);
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
    return { plan: config === undefined ? undefined : this.#parts.plan(this.running, config), problems };
  }

  /** Stores a text that was written from `baseRevision` and starts to apply it. */
  async apply(request: ApplyRequest): Promise<ApplyOutcome> {
    if (request.baseRevision !== this.#state.revision) return this.#conflict();
    const parsed = this.#parts.parse(request.text);
    if (parsed.config === undefined) return { kind: 'rejected', problems: parsed.problems };
    const plan = this.#parts.plan(this.running, parsed.config);
    const written = await this.#parts.file.write(request.text, request.baseRevision);
    if (written.kind === 'conflict') {
      const { text, revision } = written;
      // Somebody else's text: taken over already where it came through here, else now.
      if (revision !== this.#state.revision) this.#onFileChange({ kind: 'changed', text, revision });
      return this.#conflict();
    }
    this.#parts.logger.info(`configuration ${written.revision} by ${request.author}: ${plan.summary}`, {
      note: request.note,
    });
    void this.#follow(request.text, parsed, plan);
    return { kind: 'applied', revision: written.revision, plan, problems: parsed.problems };
  }

  #conflict(): ApplyOutcome {
    return { kind: 'conflict', currentRevision: this.#state.revision, currentText: this.#state.text };
  }

  #onFileChange(change: ConfigFileChange): void {
    if (change.kind === 'changed') {
      void this.#follow(change.text, this.#parts.parse(change.text), undefined);
      return;
    }
    const revision = this.#running?.revision ?? 'nothing';
    this.#parts.logger.warn(`${change.message} The machine goes on with configuration ${revision}.`);
    this.#setState({ outcome: this.#outcome('rejected', this.#state.revision, change.message) });
  }

  /**
   * Takes over a text: states what is wrong with it and, where it can be applied, applies it. Never rejects.
   * @param planned made for this text; carried out unless the machine runs something else by now
   */
  async #follow(text: string, parsed: ParsedConfig, planned: Plan | undefined): Promise<void> {
    const { config, problems } = parsed;
    const revision = revisionOf(text);
    const stored = { text, revision, source: 'file', problems } as const;
    this.#logProblems(problems);
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
    this.#rememberName(revision, config.revision);
    this.#running = { config, revision };
    this.#setState({ ...stored, outcome: this.#outcome('applying', revision, plan.summary) });
    // A newer text that is carried out speaks for itself; one that cannot be has its own outcome.
    const isNewest = (): boolean => turn === this.#lastTurn;
    const ifStored = (outcome: Outcome): Partial<ConfigState> => (this.#state.revision === revision ? { outcome } : {});
    try {
      this.#parts.applySettings(plan);
      const failures = await this.#parts.execute(plan, revision);
      if (!isNewest()) return;
      const kind = failures.length === 0 ? 'applied' : 'applied-with-failures';
      const message = failures.length === 0 ? plan.summary : firstLines(failures);
      this.#parts.logger.info(`configuration ${revision} is in force: ${plan.summary}`, { failures: failures.length });
      this.#setState({
        appliedRevision: revision,
        appliedAt: this.#parts.clock.now(),
        ...ifStored(this.#outcome(kind, revision, message)),
      });
    } catch (thrown) {
      const { message } = toArmatureError(thrown);
      this.#parts.logger.error(`configuration ${revision} was not carried out: ${message}`, { error: thrown });
      if (!isNewest()) return;
      // Carried out by half: the next plan has to begin where this one did, or it would leave out the rest.
      this.#running = before;
      this.#setState(ifStored(this.#outcome('rejected', revision, message)));
    }
  }

  #reject(stored: Pick<ConfigState, 'text' | 'revision' | 'source' | 'problems'>, why: string): void {
    const { problems, revision } = stored;
    const message = `The text cannot be applied, ${why}; the machine goes on with ${this.#running?.revision ?? 'nothing'}.`;
    this.#parts.logger.error(message, { problems: problems.length });
    this.#setState({ ...stored, outcome: this.#outcome('rejected', revision, message) });
  }

  #rememberName(revision: string, name: string): void {
    if (name === revision) return;
    this.#ownNames.delete(revision);
    this.#ownNames.set(revision, name);
    const [oldest] = this.#ownNames.keys();
    if (this.#ownNames.size > MOST_NAMES && oldest !== undefined) this.#ownNames.delete(oldest);
  }

  #outcome(kind: Outcome['kind'], revision: string, message: string): Outcome {
    return { kind, revision, message, at: this.#parts.clock.now() };
  }

  #logProblems(problems: readonly Problem[]): void {
    const { file, logger } = this.#parts;
    const logged = foremost(problems, MOST_PROBLEMS_LOGGED);
    for (const { severity, line, column, message } of logged) {
      const text = `${file.path}:${line}:${column}: ${message}`;
      if (severity === 'error') logger.error(text);
      else logger.warn(text);
    }
    if (logged.length < problems.length) {
      logger.warn(
        `${file.path}: ${problems.length - logged.length} more problems; armature config check lists them all.`,
      );
    }
  }

  #setState(changed: Partial<ConfigState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}
