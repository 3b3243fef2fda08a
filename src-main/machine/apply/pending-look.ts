import { sleep, type Clock } from '../../base/clock.ts';
import type { MaintenanceGate, MaintenanceWindow } from '../maintenance/maintenance-gate.ts';
import type { Pending } from './apply-state.ts';
import type { ResourceReadiness } from './trial-terms.ts';

export interface PendingLookParts {
  readonly clock: Clock;
  readonly gate: MaintenanceGate;
  readonly resources: ResourceReadiness;
  /** What is pending at this moment. */
  readonly pending: () => Pending | undefined;
  /** Of the configuration in force at this moment. */
  readonly window: () => MaintenanceWindow | undefined;
  /** Maintenance is not allowed, for another reason than the last time. */
  readonly onRefused: (pending: Pending, reason: string) => Promise<void>;
  /** Maintenance is allowed, as it seems: to carry it out, after asking again. Never rejects. */
  readonly onAllowed: (pending: Pending) => Promise<void>;
}

/** How often the sensor is asked; sooner where its readiness changes. */
const LOOK_AGAIN_MS = 2_000;

/** Asks the sensor of the maintenance window for as long as one text is pending. */
export class PendingLook {
  readonly #parts: PendingLookParts;
  /** Ends the pause between two looks. */
  #lookNow: () => void = () => undefined;
  /** The look that goes on: another one takes its place. */
  #current: object | undefined;

  constructor(parts: PendingLookParts) {
    this.#parts = parts;
  }

  /** Begins to ask about what is pending now, instead of whatever was. */
  begin(): void {
    this.end();
    const { revision } = this.#parts.pending() ?? {};
    if (revision !== undefined) void this.#look(revision, (this.#current = {}));
  }

  /** Asks no more. */
  end(): void {
    this.#current = undefined;
    this.#lookNow();
  }

  async #look(revision: string, own: object): Promise<void> {
    const { gate, resources, window, onRefused, onAllowed } = this.#parts;
    const obstacle = (): string | undefined => resources.obstacleOf(window()?.sensorName ?? '');
    const found = (): Pending | undefined => {
      const pending = this.#current === own ? this.#parts.pending() : undefined;
      return pending?.revision === revision ? pending : undefined;
    };
    let told = '';
    for (let pending = found(); pending !== undefined; pending = found()) {
      const before = obstacle();
      const permission = await gate.ask(window());
      pending = found();
      if (pending === undefined) return;
      if (permission.isAllowed) await onAllowed(pending);
      else if (permission.reason !== told) {
        told = permission.reason;
        await onRefused(pending, permission.reason);
      }
      if (found() === undefined) return;
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
}
