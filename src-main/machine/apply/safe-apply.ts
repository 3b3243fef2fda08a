import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { MachineConfig } from '../config/machine-config.ts';
import { Trial, type Unready } from './trial.ts';
import type { Probation, TrialRecord } from './trial-record.ts';

/** What a safe apply asks the machine's resources. */
export interface ResourceReadiness {
  /** Full names of all that are ready now. */
  ready(): readonly string[];
  /** Why a resource is not ready now; undefined where it is. */
  obstacleOf(fullName: string): string | undefined;
  /** Calls back after changes of any resource. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
}

/** A way back that is open. */
export interface OpenTrial {
  /** Wall-clock time, milliseconds. */
  readonly deadlineAt: number;
  readonly leftMs: () => number;
  /** Full names of resources that were ready before and are not yet again. */
  readonly awaited: readonly string[];
}

export interface SafeApplyParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly record: TrialRecord;
  readonly resources: ResourceReadiness;
  /** {@link SafeApply.open} differs. */
  readonly onChange: () => void;
  readonly onReady: (probation: Probation) => void;
  readonly onLate: (probation: Probation, unready: readonly Unready[]) => void;
}

/**
 * The text that is on trial, where one is.
 *
 * What is gone back to is always the last text that was not on trial, and what
 * has to be ready is what was ready with that one: of edits applied one after
 * another, none can make the broken state before it the measure.
 */
export class SafeApply {
  readonly #parts: SafeApplyParts;
  #probation: Probation | undefined;
  #trial: Trial | undefined;
  #forget: () => void = () => undefined;
  /** Writes of the record take turns: the last word is the one that stays. */
  readonly #recording = new Mutex();

  constructor(parts: SafeApplyParts) {
    this.#parts = parts;
  }

  /** What is on trial now. */
  get probation(): Probation | undefined {
    return this.#probation;
  }

  get open(): OpenTrial | undefined {
    const trial = this.#trial;
    if (trial === undefined) return undefined;
    return { deadlineAt: trial.deadlineAt, leftMs: () => trial.leftMs, awaited: trial.awaited };
  }

  /**
   * The terms on which a text would be on trial; undefined where nothing that was ready stays in it.
   * @param runningText of the configuration that the machine runs now
   */
  propose(revision: string, config: MachineConfig, waitMs: number, runningText: string): Probation | undefined {
    const goodText = this.#probation?.goodText ?? runningText;
    const readyBefore = this.#probation?.readyBefore ?? this.#parts.resources.ready();
    if (requiredIn(config, readyBefore).length === 0) return undefined;
    const before = this.#probation;
    const replacedTerms = before && { waitMs: before.waitMs, restarts: before.restarts };
    return { revision, waitMs, goodText, readyBefore, replaces: before?.revision ?? '', replacedTerms, restarts: 0 };
  }

  /** What was on trial when the server ended, with that end counted; undefined where it was another text than this. */
  async recall(revision: string): Promise<Probation | undefined> {
    const kept = await this.#parts.record.load();
    // The server may have ended between the record of a text and the text itself.
    if (kept === undefined) return undefined;
    if (kept.revision !== revision && kept.replaces !== revision) {
      // Should somebody store that text once more, it is not the one that was on trial.
      this.#forgetRecord();
      return undefined;
    }
    const terms = kept.revision === revision ? kept : { ...kept, ...kept.replacedTerms };
    return { ...terms, revision, replaces: '', replacedTerms: undefined, restarts: terms.restarts + 1 };
  }

  /** Keeps for after a restart what is to go on trial; nothing where there is none. Rejects with `file.unwritable`. */
  record(probation: Probation | undefined): Promise<void> {
    return this.#recording.run(() => this.#parts.record.save(probation));
  }

  /** Takes a text on trial, or one that is not; whatever was on trial before is so no more. */
  enter(probation: Probation | undefined): void {
    const before = this.#probation;
    this.halt();
    this.#probation = probation;
    if (before !== undefined && probation === undefined) this.#forgetRecord();
  }

  /** Begins to wait; to be called when the graph has taken over the configuration. */
  start(config: MachineConfig): void {
    const probation = this.#probation;
    if (probation === undefined) return;
    const { clock, resources, onChange, onReady, onLate } = this.#parts;
    const trial = new Trial({
      required: requiredIn(config, probation.readyBefore),
      waitMs: probation.waitMs,
      clock,
      obstacleOf: (name) => resources.obstacleOf(name),
      onAwaited: onChange,
      onVerdict: (verdict) => {
        if (verdict.kind === 'ready') onReady(probation);
        else onLate(probation, verdict.unready);
      },
    });
    this.#trial = trial;
    trial.look();
    // It may have ended with that look.
    if (this.#trial !== trial) return;
    this.#forget = resources.subscribe(() => trial.look());
    onChange();
  }

  /** Resources that are waited for now, with their reasons. */
  unready(): readonly Unready[] {
    return this.#trial?.unready() ?? [];
  }

  /** Ends the wait and nothing else: the text stays on trial, in the record too, until another is entered. */
  halt(): void {
    this.#forget();
    this.#forget = () => undefined;
    this.#trial?.cancel();
    this.#trial = undefined;
  }

  #forgetRecord(): void {
    this.record(undefined).catch((thrown: unknown) => {
      // It names a text: it counts only if the machine is started with that one again.
      this.#parts.logger.warn(toArmatureError(thrown).message);
    });
  }
}

function requiredIn(config: MachineConfig, names: readonly string[]): string[] {
  const enabled = new Set(config.resources.flatMap(({ fullName, isDisabled }) => (isDisabled ? [] : [fullName])));
  return names.filter((name) => enabled.has(name));
}
