import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Following } from './following.ts';
import type { SafeApply } from './safe-apply.ts';
import type { Deferral, HeldText } from './deferral.ts';

export interface WaitingTextParts {
  readonly logger: Logger;
  readonly safe: SafeApply;
  readonly deferral: Deferral;
  readonly following: Following;
  readonly storedRevision: () => string;
  /** One after the other with everything that stores texts. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Ends the wait of a text: when its maintenance window opens, or when somebody decides so. */
export class WaitingText {
  readonly #parts: WaitingTextParts;

  constructor(parts: WaitingTextParts) {
    this.#parts = parts;
  }

  /** The sensor allows maintenance, as of a moment ago. Never rejects: what fails here is tried again. */
  async onAllowed(held: HeldText): Promise<void> {
    const { inTurn, deferral, logger } = this.#parts;
    try {
      await inTurn(async () => {
        await this.#release(held, async () => {
          // It may have been somebody else's turn for long: the window may be closed again.
          const isAllowed = (await deferral.ask()).isAllowed;
          if (isAllowed) logger.info(`configuration ${held.revision} is carried out: maintenance is allowed`);
          return isAllowed;
        });
      });
    } catch (thrown) {
      logger.error(`configuration ${held.revision} goes on waiting: ${toArmatureError(thrown).message}`);
    }
  }

  /** As `Configuration.applyNow`. */
  applyNow(revision: string, by: string): Promise<string> {
    const { inTurn, deferral, logger, storedRevision } = this.#parts;
    return inTurn(async () => {
      const { held } = deferral;
      if (held?.revision !== revision) {
        throw new ArmatureError(
          'call.failed_precondition',
          `Configuration ${revision === '' ? '""' : revision} does not wait (stored is ${storedRevision()}): it is in force already, or another took its place. Watch says which.`,
        );
      }
      await this.#release(held, () => {
        const why = deferral.reason === '' ? 'maintenance is not allowed yet' : deferral.reason;
        logger.warn(`configuration ${revision} is carried out now, as ${by} decided, although it waited: ${why}`);
        return Promise.resolve(true);
      });
      return revision;
    });
  }

  /** @param mayGo asked at the last moment */
  async #release(held: HeldText, mayGo: () => Promise<boolean>): Promise<void> {
    const { safe, deferral, following } = this.#parts;
    const { running } = following;
    const isHeld = (): boolean => deferral.held === held;
    if (!isHeld()) return;
    const { returnAfterMs, revision, config } = held;
    const probation =
      returnAfterMs === 0 || running === undefined
        ? undefined
        : safe.propose(revision, config, returnAfterMs, running.text);
    if (probation !== undefined) await safe.record(probation);
    if ((await mayGo()) && isHeld()) void following.release(held, probation);
    else if (probation !== undefined) await safe.record(safe.probation);
  }
}
