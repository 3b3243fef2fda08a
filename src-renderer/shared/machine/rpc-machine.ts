import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import { createClient } from '../../link/client.ts';
import { takeLaunchToken } from '../../link/launch-token.ts';
import { Link, type LinkState } from '../../link/link.ts';
import { portConnector } from '../../link/port-connector.ts';
import { SafetySession } from '../../link/safety-session.ts';
import { channelUrl, webSocketConnector } from '../../link/websocket-connector.ts';
import { boardCalls } from './calls/board.ts';
import { stopTimeoutMs } from './calls/call-options.ts';
import { configCalls } from './calls/config.ts';
import { encoderCalls } from './calls/encoder.ts';
import { genericCalls } from './calls/generic.ts';
import { hardwareCalls } from './calls/hardware.ts';
import { queryLogs, tailLogs } from './calls/logs.ts';
import { motorCalls } from './calls/motor.ts';
import { reflectionCalls } from './calls/reflection.ts';
import { servoCalls } from './calls/servo.ts';
import { watchStatus } from './calls/status.ts';
import { watchReadings } from './calls/watch.ts';
import { desktopPort } from './desktop-port.ts';
import type { Machine } from './machine.ts';
import type { ConnectionView } from './machine-view.ts';

/**
 * The machine that this page was opened from: over a message port in the
 * desktop window, over a WebSocket in a browser. Takes the token out of the
 * address, so it comes before the router.
 */
export function connectMachine(): Machine {
  const port = desktopPort();
  let token = takeLaunchToken(window);
  const connector =
    port === undefined
      ? webSocketConnector({ url: channelUrl(window.location.href), token: () => token })
      : portConnector(port);
  const link = new Link(connector);
  // A server that was started again prints another address: pasted into this tab it changes the fragment and loads
  // nothing.
  window.addEventListener('popstate', () => {
    const given = takeLaunchToken(window);
    if (given === token) return;
    token = given;
    link.retryNow();
  });
  return rpcMachine(link);
}

/** A machine over a link. What moves something goes through the page's safety session (ruling 10). */
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
    connection: {
      subscribe: (onChange) => link.subscribe((state) => onChange(connectionFrom(state))),
      retryNow: () => link.retryNow(),
    },
    config: configCalls(link),
    motor: motorCalls(session, link),
    board: boardCalls(session, link),
    encoder: encoderCalls(session, link),
    servo: servoCalls(session, link),
    generic: genericCalls(session),
    reflection: reflectionCalls(session, link),
    hardware: hardwareCalls(link),
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
