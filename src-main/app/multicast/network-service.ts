import { AsyncQueue } from '../../base/async/async-queue.ts';
import { onAbort } from '../../base/async/abort.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import {
  FoundMachine_Transport,
  WatchMachinesResponse_State,
  type FoundMachine as WireMachine,
  type NetworkServiceDefinition,
  type WatchMachinesResponse,
} from '../../../proto/gen/core/network/v1/network.ts';
import type { FoundMachine } from './machine-cache.ts';
import type { MachineBrowser } from './machine-browser.ts';

/** Browses for machines, or says why nothing does. */
export type DiscoveryState =
  | { readonly kind: 'looking'; readonly browser: Pick<MachineBrowser, 'machines' | 'watch'> }
  /** `-disable-mdns`. */
  | { readonly kind: 'disabled' }
  /** A sentence. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * core.network.v1.NetworkService.
 * @param discovery called for each watcher: it is loaded with the first
 */
export function networkService(
  discovery: () => Promise<DiscoveryState>,
): ServiceHandlers<typeof NetworkServiceDefinition> {
  return {
    async *watchMachines(_request, call): AsyncGenerator<WatchMachinesResponse> {
      const found = await discovery();
      const changes = new AsyncQueue<undefined>();
      const forgetAbort = onAbort(call.signal, () => changes.end());
      // A slow reader gets the latest list.
      const tell = (): void => void (changes.size === 0 && changes.push(undefined));
      const unsubscribe = found.kind === 'looking' ? found.browser.watch(tell) : undefined;
      try {
        yield toWire(found);
        for await (const _change of changes) yield toWire(found);
      } finally {
        unsubscribe?.();
        forgetAbort();
      }
    },
  };
}

function toWire(found: DiscoveryState): WatchMachinesResponse {
  switch (found.kind) {
    case 'disabled':
      return { state: WatchMachinesResponse_State.DISABLED, reason: '', machines: [] };
    case 'failed':
      return { state: WatchMachinesResponse_State.FAILED, reason: found.reason, machines: [] };
    case 'looking': {
      const machines = found.browser.machines.map(toWireMachine);
      return { state: WatchMachinesResponse_State.LOOKING, reason: '', machines };
    }
  }
}

function toWireMachine({ name, addresses, port, isEncrypted }: FoundMachine): WireMachine {
  return { name, addresses: [...addresses], port, transport: transportOf(isEncrypted) };
}

function transportOf(isEncrypted: boolean | undefined): FoundMachine_Transport {
  if (isEncrypted === undefined) return FoundMachine_Transport.UNSPECIFIED;
  return isEncrypted ? FoundMachine_Transport.TLS : FoundMachine_Transport.CLEAR;
}
