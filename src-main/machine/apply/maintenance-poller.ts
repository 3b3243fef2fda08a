import { sleep, type Clock } from '../../base/clock.ts';
import type { MaintenanceGate, MaintenanceWindow } from '../maintenance/maintenance-gate.ts';
import type { Pending } from './apply-state.ts';
import type { ResourceReadiness } from './trial-terms.ts';

export interface MaintenancePollerOptions {
  readonly clock: Clock;
  readonly gate: MaintenanceGate;
  readonly resources: ResourceReadiness;
  /** The text that is pending now. */
  readonly pending: () => Pending | undefined;
  /** The maintenance window of the running configuration. */
  readonly window: () => MaintenanceWindow | undefined;
  /** Maintenance is not allowed. Called once for each reason. */
  readonly onRefused: (pending: Pending, reason: string) => Promise<void>;
  /** The sensor allowed maintenance: asks again and applies the text. Never rejects. */
  readonly onAllowed: (pending: Pending) => Promise<void>;
}

/** How often the sensor is asked; it is asked sooner when its readiness changes. */
const POLL_INTERVAL_MS = 2_000;

/** Asks the sensor of the maintenance window as long as a text is pending. */
export class MaintenancePoller {
  readonly #options: MaintenancePollerOptions;
  /** Ends the pause between two polls. */
  #wake: () => void = () => undefined;
  /** Identifies the running poll; a new poll replaces it. */
  #current: object | undefined;

  constructor(options: MaintenancePollerOptions) {
    this.#options = options;
  }

  /** Polls for the text that is pending now, in place of any earlier one. */
  start(): void {
    this.stop();
    const { revision } = this.#options.pending() ?? {};
    if (revision !== undefined) void this.#poll(revision, (this.#current = {}));
  }

  /** Stops polling. */
  stop(): void {
    this.#current = undefined;
    this.#wake();
  }

  async #poll(revision: string, own: object): Promise<void> {
    const { gate, resources, window, onRefused, onAllowed } = this.#options;
    const notReady = (): string | undefined => resources.notReadyReason(window()?.sensorName ?? '');
    const found = (): Pending | undefined => {
      const pending = this.#current === own ? this.#options.pending() : undefined;
      return pending?.revision === revision ? pending : undefined;
    };
    let lastReason = '';
    for (let pending = found(); pending !== undefined; pending = found()) {
      const before = notReady();
      const permission = await gate.ask(window());
      pending = found();
      if (pending === undefined) return;
      if (permission.isAllowed) await onAllowed(pending);
      else if (permission.reason !== lastReason) {
        lastReason = permission.reason;
        await onRefused(pending, permission.reason);
      }
      if (found() === undefined) return;
      await this.#pause(() => notReady() !== before);
    }
  }

  /** Waits until the next poll. Ends early when a resource changes for which `isNews` holds, such as the sensor. */
  async #pause(isNews: () => boolean): Promise<void> {
    const { clock, resources } = this.#options;
    const news = new AbortController();
    this.#wake = () => news.abort();
    const unsubscribe = resources.subscribe(() => {
      if (isNews()) news.abort();
    });
    await sleep(clock, POLL_INTERVAL_MS, news.signal);
    unsubscribe();
  }
}
