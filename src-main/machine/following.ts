import { toArmatureError } from '../base/errors.ts';
import type { MachineConfig, ParsedConfig } from './config/machine-config.ts';
import type { Plan } from './config/plan.ts';
import { OwnNames } from './config/own-names.ts';
import { logProblems } from './config/problem-log.ts';
import { revisionOf } from './config/revision.ts';
import type { ConfigState, ConfigurationParts, Course, Outcome, Returned, Running, StateCell } from './config-state.ts';
import type { SafeApply } from './safe-apply.ts';
import { inOneLine, unreadyLines } from './trial-words.ts';
import { unreadyOf } from './trial.ts';
import type { Probation } from './trial-record.ts';

export interface FollowingParts extends ConfigurationParts {
  readonly cell: StateCell;
  readonly safe: SafeApply;
  /** A text on trial was not carried out; `why` is the second half of a sentence. */
  readonly onTrialFailed: (probation: Probation, why: string) => Promise<void>;
}

/** Has the machine follow the stored text: one way from text to plan to running machine, wherever the text comes from. */
export class Following {
  readonly #parts: FollowingParts;
  readonly #ownNames = new OwnNames();
  /** What the machine was last told to be, and has followed or follows. */
  #running: Running | undefined;
  /** Counts texts that were carried out: only the newest speaks about how it went. */
  #lastTurn = 0;

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

  /** Takes over a text: states what is wrong with it and, where it can be applied, applies it. Never rejects. */
  async follow(text: string, parsed: ParsedConfig, { planned, probation, returned }: Course): Promise<void> {
    const { cell, safe, logger } = this.#parts;
    const { config, problems } = parsed;
    const revision = revisionOf(text);
    const stored = { text, revision, source: 'file', problems, trial: undefined } as const;
    logProblems(problems, this.#parts.source.path, logger);
    // Whatever was on trial is so no more: another text is stored now.
    safe.enter(probation);
    if (config === undefined) {
      this.#reject(stored, 'it has errors that leave nothing to run');
      return;
    }
    const before = this.#running;
    let plan: Plan;
    try {
      plan = this.#planFrom(before?.config, config, planned);
    } catch (thrown) {
      this.#reject(stored, toArmatureError(thrown).message);
      return;
    }
    const turn = ++this.#lastTurn;
    this.#ownNames.add(revision, config.revision);
    this.#running = { config, revision, text, summary: plan.summary };
    const applying = this.outcome('applying', revision, plan.summary);
    cell.set({ ...stored, outcome: returned === undefined ? applying : this.#returnedResult(returned, false) });
    // A newer text that is carried out speaks for itself; one that cannot be has its own outcome.
    const isNewest = (): boolean => turn === this.#lastTurn;
    const ifStored = (outcome: Outcome): Partial<ConfigState> => (cell.state.revision === revision ? { outcome } : {});
    try {
      this.#parts.applySettings(plan);
      const executed = this.#parts.execute(plan, revision);
      safe.start(config);
      await executed;
      if (!isNewest()) return;
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

  /** How the configuration in force is doing. */
  result(): Outcome {
    const { revision = '', summary = '' } = this.#running ?? {};
    const failures = this.#parts.failures();
    if (failures.length === 0) return this.outcome('applied', revision, summary);
    return this.outcome('applied-with-failures', revision, inOneLine(failures));
  }

  outcome(kind: Outcome['kind'], revision: string, message: string): Outcome {
    return { kind, revision, message, at: this.#parts.clock.now() };
  }

  #planFrom(from: MachineConfig | undefined, to: MachineConfig, planned: Plan | undefined): Plan {
    return planned !== undefined && planned.from === from ? planned : this.#parts.plan(from, to);
  }

  #reject(stored: Pick<ConfigState, 'text' | 'revision' | 'source' | 'problems' | 'trial'>, why: string): void {
    const { problems, revision } = stored;
    const message = `The text cannot be applied, ${why}; the machine goes on with ${this.#running?.revision ?? 'nothing'}.`;
    this.#parts.safe.enter(undefined);
    this.#parts.logger.error(message, { problems: problems.length });
    this.#parts.cell.set({ ...stored, outcome: this.outcome('rejected', revision, message) });
  }

  /** @param isDone whether the way back was carried out: what is not ready then was not helped by it */
  #returnedResult({ revision, text, why, unready, readyBefore }: Returned, isDone: boolean): Outcome {
    const still = isDone ? unreadyOf(readyBefore, (name) => this.#parts.resources.obstacleOf(name)) : [];
    const end = still.length === 0 ? '' : `. Going back did not help: ${unreadyLines(still)}`;
    const message = `Returned to the configuration before${why}${end}`;
    return { ...this.outcome('returned', revision, message), returnedText: text, unready };
  }
}
