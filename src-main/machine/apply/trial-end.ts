import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { ConfigText } from '../config/source/config-source.ts';
import type { ConfigurationParts, StateCell } from './config-state.ts';
import { returnOrigin } from './first-text.ts';
import type { Following } from './following.ts';
import type { Deferral } from './deferral.ts';
import type { OpenTrial, SafeApply } from './safe-apply.ts';
import { unreadySentence } from './outcome-words.ts';
import type { Unready } from './trial.ts';
import type { Probation } from './trial-record.ts';

export interface TrialEndParts extends Pick<ConfigurationParts, 'source' | 'logger' | 'parse'> {
  readonly safe: SafeApply;
  readonly deferral: Deferral;
  readonly following: Following;
  readonly cell: StateCell;
  readonly isStopped: () => boolean;
  /** Another text than that on trial is stored. */
  readonly takeOver: (found: ConfigText) => void;
}

/** How a text on trial ends: it stays, or the machine goes back to the one before. */
export class TrialEnd {
  readonly #parts: TrialEndParts;

  constructor(parts: TrialEndParts) {
    this.#parts = parts;
  }

  /** The trial of the stored text: one that waits hides the one that is on trial beneath it. */
  get open(): OpenTrial | undefined {
    const { safe, cell } = this.#parts;
    return safe.probation?.revision === cell.state.revision ? safe.open : undefined;
  }

  /** As `Configuration.endTrial`. In turn with what stores texts. */
  async decide(revision: string, keep: boolean): Promise<string> {
    const { safe, cell } = this.#parts;
    const { probation } = safe;
    if (probation?.revision !== revision) {
      throw new ArmatureError(
        'call.failed_precondition',
        `Configuration ${revision === '' ? '""' : revision} is not on trial (stored is ${cell.state.revision}): it was kept or left already. Watch says which.`,
      );
    }
    if (keep) this.keep(probation, 'somebody decided so');
    else {
      const unready = safe.unready();
      const state = unready.length === 0 ? '' : `: ${unreadySentence(unready, 'ready yet')}`;
      await this.goBack(probation, `, as somebody asked${state}`, unready);
    }
    return cell.state.revision;
  }

  /** The text on trial is not on trial any more and stays. */
  keep({ revision }: Probation, why: string): void {
    const { logger, safe, cell, following } = this.#parts;
    const { outcome } = cell.state;
    logger.info(`configuration ${revision} is kept: ${why}`);
    safe.enter(undefined);
    const hasEnded = outcome.kind === 'applied' || outcome.kind === 'applied-with-failures';
    cell.set({ trial: undefined, ...(hasEnded ? { outcome: following.result() } : {}) });
  }

  /** Leaves a text on trial for the one before it, unless another took its place. In turn with what stores texts. */
  async goBack(probation: Probation, why: string, unready: readonly Unready[]): Promise<void> {
    const { source, logger, parse, safe, deferral, following, cell, isStopped, takeOver } = this.#parts;
    if (safe.probation !== probation || isStopped()) return;
    const { revision, goodText, readyBefore } = probation;
    const { text } = deferral.held === undefined ? cell.state : { text: following.running?.text ?? '' };
    const returned = { revision, text, why, unready: unready.map(({ name }) => name), readyBefore };
    safe.halt();
    cell.set({ trial: undefined });
    if (deferral.held !== undefined) {
      logger.warn(`configuration ${revision} is left for the one before${why}`);
      void following.returnBeneath(goodText, parse(goodText), returned);
      return;
    }
    try {
      const origin = returnOrigin(why);
      const written = await source.write(goodText, revision, origin);
      if (written.kind === 'conflict') {
        logger.warn(`configuration ${revision} is not left for the one before, since somebody changed ${source.path}`);
        takeOver(written);
        return;
      }
      logger.warn(`configuration ${revision} is left for ${written.revision}${why}`);
      void following.follow(goodText, parse(goodText), { origin, returned });
    } catch (thrown) {
      // The machine runs what is stored, or a restart would be a surprise.
      const message = `Not returned to the configuration before${why}. It cannot be stored: ${toArmatureError(thrown).message}`;
      logger.error(message);
      safe.enter(undefined);
      cell.set({ outcome: following.outcome('applied-with-failures', revision, message) });
    }
  }
}
