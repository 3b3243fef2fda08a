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
  /** Of the configuration that runs now. */
  readonly window: () => MaintenanceWindow | undefined;
  /** Maintenance is not allowed; called once for each reason. */
  readonly onRefused: (pending: Pending, reason: string) => Promise<void>;
  /** This poll allowed maintenance: asks again and applies the text. Never rejects. */
  readonly onAllowed: (pending: Pending) => Promise<void>;
}

/** How often the sensor is asked; sooner where its readiness changes. */
const POLL_INTERVAL_MS = 2_000;

/** Asks the sensor of the maintenance window for as long as one text is pending. */
export class MaintenancePoller {
  readonly #options: MaintenancePollerOptions;
  /** Ends the pause between two polls. */
  #wake: () => void = () => undefined;
  /** Identifies the poll that is running; another one replaces it. */
  #current: object | undefined;

  constructor(options: MaintenancePollerOptions) {
    this.#options = options;
  }

  /** Polls for the text that is pending now, instead of any earlier one. */
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

  /** Waits for the next poll; ends early at a change of a resource for which `isNews` holds, as of the sensor. */
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
