import { RobotServiceDefinition } from '../../../../proto/gen/core/robot/v1/robot.ts';
import { createClient } from '../../../link/client.ts';
import { keepToken, takeLaunchToken } from '../../../link/connect/launch-token.ts';
import { Link, type LinkState } from '../../../link/link.ts';
import { partOfAddress } from '../../../link/connect/part-address.ts';
import type { Connector } from '../../../link/pipe.ts';
import { portConnector } from '../../../link/connect/port-connector.ts';
import { SafetySession } from '../../../link/safety-session.ts';
import { signIn } from '../../../link/connect/sign-in.ts';
import { channelUrl, webSocketConnector } from '../../../link/connect/websocket-connector.ts';
import type { PageServer } from '../../../link/connect/where.ts';
import { stopTimeoutMs } from '../calls/call-options.ts';
import { configCalls } from '../calls/config.ts';
import { hardwareCalls } from '../calls/hardware.ts';
import { queryLogs, tailLogs } from '../calls/logs.ts';
import { historyCalls } from '../calls/history.ts';
import { moduleCalls } from '../calls/modules.ts';
import { reflectionCalls } from '../calls/reflection.ts';
import { packageCalls } from '../calls/packages.ts';
import { watchStatus } from '../calls/status.ts';
import { watchReadings } from '../calls/watch.ts';
import { desktopPort } from '../desktop-port.ts';
import type { Fleet } from '../fleet.ts';
import type { Machine, MachineConnection } from '../machine.ts';
import type { ConnectionView } from '../machine-view.ts';
import { resourceClients } from '../resource.ts';
import { loadWhenCalled } from './load-when-called.ts';
import { rpcFleet } from './rpc-fleet.ts';

/** What a page is about, and how a person gets in. */
export interface Page {
  /** A hub without a machine serves it: everybody signs in with a key. */
  readonly isHub: boolean;
  readonly machine: Machine;
  readonly fleet: Fleet;
  /** Signs in with an API key, for this tab. Rejects with an `RpcError`. */
  signIn(keyId: string, secret: string): Promise<void>;
  /** Forgets who signed in. */
  signOut(): void;
}

/**
 * The machine that the page's address names, or else the one that it was
 * opened from, and the fleet of the hub there: over a message port in the
 * desktop window, over WebSockets in a browser. Takes a token out of the
 * address, so it comes before the router.
 * @param opened the token that the page was opened with
 */
export function connectPage({ isHub }: PageServer, opened: string | undefined): Page {
  let token = takeLaunchToken(window) ?? opened;
  const partId = partOfAddress(window.location.href);
  const channelOf = (id: string): Connector => {
    const port = desktopPort(id);
    if (port !== undefined) return portConnector(port);
    return webSocketConnector({ url: channelUrl(window.location.href, id), token: () => token });
  };
  const link = new Link(channelOf(''));
  // A machine that is elsewhere has a channel of its own through the hub: what it moves is stopped when that one ends.
  const machineLink = partId === '' ? link : new Link(channelOf(partId));
  const links = new Set([link, machineLink]);
  const useToken = (given: string | undefined): void => {
    if (given === token) return;
    token = given;
    for (const each of links) {
      // An open channel is still the one of the token before.
      each.presumeLost('signed in anew');
      each.retryNow();
    }
  };
  // A server that was started again prints another address: pasted into this tab it changes the fragment and loads
  // nothing.
  window.addEventListener('popstate', () => useToken(takeLaunchToken(window)));
  const isHubAlone = isHub && partId === '';
  return {
    isHub,
    machine: isHubAlone ? withoutMachine(rpcMachine(machineLink)) : rpcMachine(machineLink),
    fleet: rpcFleet(link, { connection: connectionOf(link), partId, isHubAlone }),
    async signIn(keyId, secret) {
      const given = await signIn(window.location.href, keyId, secret);
      keepToken(given, () => window.sessionStorage);
      useToken(given);
    },
    signOut() {
      keepToken(undefined, () => window.sessionStorage);
      window.location.reload();
    },
  };
}

/** A hub's own channel has no machine: nothing is asked for again and again that nobody answers. */
function withoutMachine(machine: Machine): Machine {
  async function* silence(signal: AbortSignal): AsyncGenerator<never> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  return {
    ...machine,
    config: { ...machine.config, watch: silence },
    watchStatus: silence,
    tailLogs: (_options, signal) => silence(signal),
  };
}

function connectionOf(link: Link): MachineConnection {
  return {
    subscribe: (onChange) => link.subscribe((state) => onChange(connectionFrom(state))),
    retryNow: () => link.retryNow(),
  };
}

/** A machine over a link. What moves something goes through the page's safety session. */
function rpcMachine(link: Link): Machine {
  const expired = new Set<() => void>();
  const session = new SafetySession(link, () => {
    for (const listener of expired) listener();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') session.beatNow();
  });
  const robot = createClient(RobotServiceDefinition, link);
  return {
    connection: connectionOf(link),
    config: configCalls(link),
    history: historyCalls(link),
    resource: resourceClients(session, link),
    reflection: reflectionCalls(session, link),
    hardware: hardwareCalls(link),
    network: loadWhenCalled(async () => (await import('../calls/network.ts')).networkCalls(link), {
      watchMachines: true,
    }),
    modules: moduleCalls(link),
    packages: packageCalls(link),
    diagnostics: loadWhenCalled(async () => (await import('../calls/diagnostics.ts')).diagnosticsCalls(link), {
      watch: true,
      collectBundle: true,
    }),
    async stopAll() {
      await robot.stopAll({ extra: [] }, { timeoutMs: stopTimeoutMs });
    },
    onSessionExpired(listener) {
      expired.add(listener);
      return () => expired.delete(listener);
    },
    watchStatus: (signal) => watchStatus(link, signal),
    tailLogs: (options, signal) => tailLogs(link, options, signal),
    queryLogs: (options, signal) => queryLogs(link, options, signal),
    watchReadings: (requests, signal) => watchReadings(link, requests, signal),
  };
}

function connectionFrom(state: LinkState): ConnectionView {
  switch (state.kind) {
    case 'open':
      return { kind: 'connected', reason: '', nextTryAt: 0 };
    case 'connecting':
      return { kind: 'connecting', reason: '', nextTryAt: 0 };
    case 'lost':
      return { kind: 'waiting', reason: state.reason, nextTryAt: state.nextTryAt };
    case 'refused':
      return { kind: 'refused', reason: state.reason, nextTryAt: 0 };
    case 'closed':
      return { kind: 'waiting', reason: '', nextTryAt: 0 };
  }
}
