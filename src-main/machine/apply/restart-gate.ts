import { sleep, type Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ConfigState } from './config-state.ts';
import type { MachineConfig } from '../config/machine-config.ts';
import type { MaintenanceGate, Permission } from '../maintenance/maintenance-gate.ts';

export interface RestartGateOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gate: MaintenanceGate;
  readonly configuration: { readonly state: ConfigState; readonly running: MachineConfig | undefined };
  readonly isStarting: () => boolean;
}

const POLL_INTERVAL_MS = 2_000;

/** Decides whether the program may be restarted by its hub, by an external updater, or by its own update. */
export class RestartGate {
  readonly #options: RestartGateOptions;
  /** The waiting request; a new one replaces it. */
  #request: object | undefined;

  constructor(options: RestartGateOptions) {
    this.#options = options;
  }

  /**
   * Not allowed while a configuration is being applied or on trial; otherwise the maintenance window decides. Never
   * rejects.
   */
  async permission(): Promise<Permission> {
    const { gate, configuration, isStarting } = this.#options;
    if (isStarting()) return { isAllowed: false, reason: 'the machine to be up' };
    const { outcome, trial } = configuration.state;
    if (outcome.kind === 'applying') return { isAllowed: false, reason: 'a configuration that is being applied' };
    if (trial !== undefined) return { isAllowed: false, reason: 'a configuration that is on trial' };
    return gate.ask(configuration.running?.maintenance);
  }

  /**
   * Restarts as soon as that is allowed.
   * @param by who asked, for the log
   */
  async request(by: string, restart: () => void): Promise<void> {
    const { clock, logger } = this.#options;
    const request = {};
    this.#request = request;
    let loggedReason = '';
    while (this.#request === request) {
      const permission = await this.permission();
      if (this.#request !== request) return;
      if (permission.isAllowed) {
        this.#request = undefined;
        restart();
        return;
      }
      if (permission.reason !== loggedReason) {
        loggedReason = permission.reason;
        logger.info(`the restart that ${by} asked for waits for ${loggedReason}`);
      }
      await sleep(clock, POLL_INTERVAL_MS);
    }
  }

  /** Drops the waiting request. */
  close(): void {
    this.#request = undefined;
  }
}
