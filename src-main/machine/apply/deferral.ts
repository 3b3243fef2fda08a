import { toArmatureError } from '../../base/errors.ts';
import { sleep, type Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { ConfigOrigin } from '../config/source/config-source.ts';
import type { MachineConfig } from '../config/machine-config.ts';
import type { ResourceReadiness } from './safe-apply.ts';
import type { DeferralRecord, KeptDeferral } from './deferral-record.ts';
import type { MaintenanceGate, MaintenanceWindow, Permission } from '../maintenance/maintenance-gate.ts';

/** A stored text that is not carried out yet. */
export interface HeldText {
  readonly text: string;
  readonly revision: string;
  readonly config: MachineConfig;
  readonly problems: readonly Problem[];
  readonly origin: ConfigOrigin;
  /** Of the safe apply that it is to be; 0 for none. */
  readonly returnAfterMs: number;
  /** Since when it waits: wall-clock time, milliseconds. */
  readonly since: number;
}

export interface DeferralParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gate: MaintenanceGate;
  readonly record: DeferralRecord;
  readonly resources: ResourceReadiness;
  /** Of the configuration in force at this moment. */
  readonly window: () => MaintenanceWindow | undefined;
  /** {@link Deferral.reason} is another one. */
  readonly onReason: (held: HeldText) => void;
  /** Maintenance is allowed, as it seems: to carry it out, after asking again. */
  readonly onAllowed: (held: HeldText) => Promise<void>;
}

/** How often the sensor is asked; sooner where its readiness changes. */
const LOOK_AGAIN_MS = 2_000;

/** The text that waits for its maintenance window, where one does: the newest that was stored. */
export class Deferral {
  readonly #parts: DeferralParts;
  #held: HeldText | undefined;
  #reason = '';
  /** Ends the pause between two looks. */
  #lookNow: () => void = () => undefined;
  /** Writes of the record take turns: the last word is the one that stays. */
  readonly #recording = new Mutex();
  /** Of what waits. */
  #kept: KeptDeferral | undefined;
  /** What the record holds, or is about to. */
  #recorded: KeptDeferral | undefined;

  constructor(parts: DeferralParts) {
    this.#parts = parts;
  }

  get held(): HeldText | undefined {
    return this.#held;
  }

  /** Why it waits; '' before the first answer. */
  get reason(): string {
    return this.#reason;
  }

  /** Asks whether maintenance is allowed at this moment. */
  ask(): Promise<Permission> {
    return this.#parts.gate.ask(this.#parts.window());
  }

  /** What waited when the server ended; undefined where it was another text than this. */
  async recall(revision: string): Promise<KeptDeferral | undefined> {
    const kept = await this.#parts.record.load();
    if (kept === undefined) return undefined;
    this.#recorded = kept;
    // The server may have ended between the record of a text and the text itself.
    if (kept.revision === revision) return kept;
    if (kept.replaces === revision) return { ...kept, ...kept.replacedTerms, revision };
    // Should somebody store that text once more, it is not the one that waited.
    this.clear();
    return undefined;
  }

  /** Keeps for after a restart what is to wait. Rejects with `file.unwritable`. */
  record(kept: KeptDeferral): Promise<void> {
    return this.#save(kept);
  }

  /** The text whose record was made is not stored after all: the record speaks of what waits now again. */
  async unrecord(): Promise<void> {
    await this.#save(this.#kept);
  }

  /** Has a text wait instead of any other, and begins to look. `kept` is what {@link record} has, or is to have. */
  hold(held: HeldText, kept: KeptDeferral): void {
    this.#held = held;
    this.#reason = '';
    this.#kept = kept;
    if (this.#recorded !== kept) this.#saveOrWarn();
    this.#lookNow();
    void this.#look(held);
  }

  /** The machine runs another text than before under what waits. */
  rebase(runningText: string): void {
    if (this.#kept === undefined) return;
    this.#kept = { ...this.#kept, runningText };
    this.#saveOrWarn();
  }

  /** Nothing waits any more. */
  clear(): void {
    this.halt();
    this.#kept = undefined;
    if (this.#recorded !== undefined) this.#saveOrWarn();
  }

  /** Looks no more; what waits goes on waiting after the next start. */
  halt(): void {
    this.#held = undefined;
    this.#lookNow();
  }

  async #look(held: HeldText): Promise<void> {
    const { gate, resources, window, onReason, onAllowed, logger } = this.#parts;
    const obstacle = (): string | undefined => resources.obstacleOf(window()?.sensorName ?? '');
    const isHeld = (): boolean => this.#held === held;
    while (isHeld()) {
      const before = obstacle();
      const permission = await gate.ask(window());
      if (!isHeld()) return;
      if (permission.isAllowed) {
        await onAllowed(held);
      } else if (permission.reason !== this.#reason) {
        // Who is told that it waits may end the server: it has to wait after that too.
        await this.#recording.idle();
        if (!isHeld()) return;
        this.#reason = permission.reason;
        logger.info(`configuration ${held.revision} waits for ${permission.reason}`);
        onReason(held);
      }
      if (!isHeld()) return;
      await this.#pause(() => obstacle() !== before);
    }
  }

  /** Until it is time to look again; `isNews` is asked whenever a resource changes: a sensor that came or went. */
  async #pause(isNews: () => boolean): Promise<void> {
    const { clock, resources } = this.#parts;
    const news = new AbortController();
    this.#lookNow = () => news.abort();
    const forget = resources.subscribe(() => {
      if (isNews()) news.abort();
    });
    await sleep(clock, LOOK_AGAIN_MS, news.signal);
    forget();
  }

  #save(kept: KeptDeferral | undefined): Promise<void> {
    this.#recorded = kept;
    return this.#recording.run(() => this.#parts.record.save(kept));
  }

  #saveOrWarn(): void {
    const kept = this.#kept;
    this.#save(kept).catch((thrown: unknown) => {
      const until = kept === undefined ? '' : ' Until then, a server that starts again begins with what is stored.';
      this.#parts.logger.warn(`${toArmatureError(thrown).message}${until}`);
    });
  }
}
