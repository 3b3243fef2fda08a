import { RobotServiceDefinition } from '../../../../proto/gen/core/robot/v1/robot.ts';
import { createClient } from '../../../link/client.ts';
import { tokenIn } from '../../../link/connect/launch-token.ts';
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
import { dashboardCalls } from '../calls/dashboards.ts';
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
import { SentCommands } from '../sent-commands.ts';
import { PageCredentials } from './page-credentials.ts';
import { loadWhenCalled } from './load-when-called.ts';
import { rpcFleet } from './rpc-fleet.ts';
import type { Signing } from '../../signing.ts';

/** The machine and the fleet that a page is about, and signing in. */
export interface Page extends Signing {
  readonly machine: Machine;
  readonly fleet: Fleet;
}

/**
 * Connects to the machine that the page's address names, or else to the one that
 * serves the page, and to the fleet of the hub there: over a message port in the
 * desktop window, over WebSockets in a browser. Removes a token from the address,
 * so it must be called before the router starts.
 * @param opened the token that the page was opened with
 */
export function connectPage({ isHub }: PageServer, opened: string | undefined): Page {
  const credentials = new PageCredentials(window, opened, () => {
    for (const each of links) {
      // An open channel still uses the previous credential.
      each.presumeLost('signed in anew');
      each.retryNow();
    }
  });
  const partId = partOfAddress(window.location.href);
  const channelOf = (id: string): Connector => {
    const port = desktopPort(id);
    if (port !== undefined) return portConnector(port);
    return webSocketConnector({ url: channelUrl(window.location.href, id), token: () => credentials.current });
  };
  const link = new Link(channelOf(''));
  // Another machine has its own channel through the hub; when that channel ends, what the page moved there is stopped.
  const machineLink = partId === '' ? link : new Link(channelOf(partId));
  const links = new Set([link, machineLink]);
  const browserCalls = loadWhenCalled(async () => (await import('../calls/browsers.ts')).browserCalls(link), {});
  const isRemembered = !isHub && desktopPort() === undefined;
  window.addEventListener('popstate', () => credentials.readAddress());
  const isHubAlone = isHub && partId === '';
  return {
    isHub,
    machine: isHubAlone ? withoutMachine(rpcMachine(machineLink)) : rpcMachine(machineLink),
    fleet: rpcFleet(link, { connection: connectionOf(link), partId, isHubAlone }),
    async signIn(keyId, secret) {
      credentials.take(await signIn(window.location.href, keyId, secret));
    },
    giveKey(text) {
      const given = tokenIn(text);
      if (given === undefined) return false;
      credentials.take(given);
      return true;
    },
    browsers: isRemembered ? credentials.follow((listener) => link.subscribe(listener), browserCalls) : undefined,
    signOut() {
      credentials.forgetToken();
      window.location.reload();
    },
  };
}

/** A hub's own channel has no machine: replaces its streams, so that they are not requested again and again. */
function withoutMachine(machine: Machine): Machine {
  async function* silentStream(signal: AbortSignal): AsyncGenerator<never> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  return {
    ...machine,
    config: { ...machine.config, watch: silentStream },
    dashboards: { ...machine.dashboards, watch: silentStream },
    watchStatus: silentStream,
    tailLogs: (_options, signal) => silentStream(signal),
  };
}

function connectionOf(link: Link): MachineConnection {
  return {
    subscribe: (onChange) => link.subscribe((state) => onChange(connectionFrom(state))),
    retryNow: () => link.retryNow(),
  };
}

/** A machine over a link. Calls that may move something go through the page's safety session. */
function rpcMachine(link: Link): Machine {
  const expired = new Set<() => void>();
  const session = new SafetySession(link, () => {
    for (const listener of expired) listener();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') session.beatNow();
  });
  const robot = createClient(RobotServiceDefinition, link);
  const sent = new SentCommands();
  return {
    connection: connectionOf(link),
    config: configCalls(link),
    history: historyCalls(link),
    dashboards: dashboardCalls(link),
    resource: resourceClients(session, link, sent),
    reflection: reflectionCalls(session, link, sent),
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
      const call = robot.stopAll({ extra: [] }, { timeoutMs: stopTimeoutMs });
      sent.note({ resource: '', method: 'StopAll', request: {} }, call);
      await call;
    },
    onCommand: (listener) => sent.subscribe(listener),
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
