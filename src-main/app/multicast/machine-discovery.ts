import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import type { NetworkServiceDefinition } from '../../../proto/gen/core/network/v1/network.ts';
import type { Interfaces } from './links.ts';
import type { MachineBrowser } from './machine-browser.ts';
import { MulticastPort } from './multicast-port.ts';
import { networkService, type DiscoveryState } from './network-service.ts';
import { MulticastResponder, type ResponderOptions } from './responder.ts';

export interface MachineDiscoveryOptions {
  /** `-disable-mdns`. */
  readonly isDisabled: boolean;
  /** `os.networkInterfaces`. */
  readonly interfaces: () => Interfaces;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Discovery in the local networks by multicast DNS: other machines find this one, and it finds them. */
export class MachineDiscovery {
  readonly #options: MachineDiscoveryOptions;
  #port: Promise<MulticastPort> | undefined;
  #ownPort = 0;
  #responder: MulticastResponder | undefined;
  #browser: MachineBrowser | undefined;

  constructor(options: MachineDiscoveryOptions) {
    this.#options = options;
  }

  /** Settles when others can find the machine; if that is not possible, logs a warning. */
  async open(machine: Omit<ResponderOptions, 'clock' | 'logger'>): Promise<void> {
    const { isDisabled, clock, logger } = this.#options;
    if (isDisabled) return;
    this.#ownPort = machine.port;
    this.#port = MulticastPort.open(this.#options);
    const port = await this.#port;
    if (port.failure === '') this.#responder = new MulticastResponder(port, { ...machine, clock, logger });
  }

  /** core.network.v1.NetworkService. */
  service(): ServiceHandlers<typeof NetworkServiceDefinition> {
    return networkService(() => this.#state());
  }

  /** Sends the goodbye to everybody who knows the machine. */
  async close(): Promise<void> {
    this.#responder?.close();
    await (await this.#port)?.close();
  }

  async #state(): Promise<DiscoveryState> {
    const port = await this.#port;
    if (port === undefined) return { kind: 'disabled' };
    if (port.failure !== '') return { kind: 'failed', reason: port.failure };
    const { clock } = this.#options;
    // Few pages look for other machines, and rarely: the rest should not load this.
    const { MachineBrowser: Browser } = await import('./machine-browser.ts');
    this.#browser ??= new Browser(port, { ownPort: this.#ownPort, clock, random: Math.random });
    return { kind: 'looking', browser: this.#browser };
  }
}
