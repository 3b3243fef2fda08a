import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import { LogServiceDefinition } from '../../../proto/gen/core/log/v1/log.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import { StatusServiceDefinition } from '../../../proto/gen/core/status/v1/status.ts';
import { WatchServiceDefinition, type WatchUpdate } from '../../../proto/gen/core/watch/v1/watch.ts';
import type { Channel } from '../../link/channel.ts';
import { createClient } from '../../link/client.ts';
import { takeLaunchToken } from '../../link/launch-token.ts';
import { Link, type LinkState } from '../../link/link.ts';
import { portConnector } from '../../link/port-connector.ts';
import { SafetySession } from '../../link/safety-session.ts';
import { channelUrl, webSocketConnector } from '../../link/websocket-connector.ts';
import { desktopPort } from './desktop-port.ts';
import { batchFrom, documentFrom, levelsFrom, planFrom, problemFrom, statusFrom } from './from-proto.ts';
import type { BoardCalls, ConfigCalls, LogTailOptions, Machine, MotorCalls } from './machine.ts';
import {
  shortName,
  type ConnectionView,
  type LogBatch,
  type StatusEvent,
  type WatchReading,
  type WatchRequest,
} from './machine-view.ts';
import { watchCodecs } from './watch-methods.ts';

/** Long enough for a slow machine, short enough that nobody waits for a lost answer. */
const callTimeoutMs = 15_000;
const stopTimeoutMs = 5_000;
const quick = { timeoutMs: callTimeoutMs };
const extra = undefined;
/** The machine that answers, not a part of a fleet. */
const partId = '';

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
    async stopAll() {
      await robot.stopAll({ extra: [] }, { timeoutMs: stopTimeoutMs });
    },
    onSessionExpired(listener) {
      expired.add(listener);
      return () => expired.delete(listener);
    },
    watchStatus: (signal) => watchStatus(link, signal),
    tailLogs: (options, signal) => tailLogs(link, options, signal),
    watchReadings: (request, signal) => watchReadings(link, request, signal),
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

function configCalls(channel: Channel): ConfigCalls {
  const client = createClient(ConfigServiceDefinition, channel);
  return {
    async validate(text) {
      return (await client.validate({ partId, text }, quick)).problems.map(problemFrom);
    },
    async plan(text) {
      return planFrom((await client.plan({ partId, text }, quick)).plan);
    },
    async apply(text, baseRevision) {
      const { outcome } = await client.apply({ partId, text, baseRevision, author: '', note: '' }, quick);
      switch (outcome?.$case) {
        case 'applied':
          return { kind: 'applied', revision: outcome.value.revision };
        case 'conflict':
          return {
            kind: 'conflict',
            theirs: { text: outcome.value.currentText, revision: outcome.value.currentRevision },
          };
        case 'rejected':
          return { kind: 'refused', problems: outcome.value.problems.map(problemFrom) };
        case undefined:
          throw new Error('The machine did not say what became of the text. Reload the page to see what is applied.');
      }
    },
    async *watch(signal) {
      for await (const message of client.watch({ partId }, { signal })) yield documentFrom(message);
    },
  };
}

/** What moves goes through `session`. What stops and what only reads goes past it, and waits for no session. */
function motorCalls(session: Channel, link: Channel): MotorCalls {
  const client = createClient(MotorServiceDefinition, session);
  const direct = createClient(MotorServiceDefinition, link);
  return {
    async setPower(fullName, power) {
      await client.setPower({ name: shortName(fullName), powerPct: power, extra }, quick);
    },
    // These two answer when the motor is there: no deadline but the end of the link.
    async goFor(fullName, rpm, revolutions, signal) {
      await client.goFor({ name: shortName(fullName), rpm, revolutions, extra }, { signal });
    },
    async goTo(fullName, rpm, positionRevolutions, signal) {
      await client.goTo({ name: shortName(fullName), rpm, positionRevolutions, extra }, { signal });
    },
    async resetZero(fullName) {
      await client.resetZeroPosition({ name: shortName(fullName), offset: 0, extra }, quick);
    },
    async stop(fullName) {
      await direct.stop({ name: shortName(fullName), extra }, { timeoutMs: stopTimeoutMs });
    },
    async reportsPosition(fullName) {
      return (await direct.getProperties({ name: shortName(fullName), extra }, quick)).positionReporting;
    },
  };
}

function boardCalls(session: Channel, link: Channel): BoardCalls {
  const client = createClient(BoardServiceDefinition, session);
  const direct = createClient(BoardServiceDefinition, link);
  const of = (fullName: string, pin: string) => ({ name: shortName(fullName), pin, extra });
  return {
    async readPin(fullName, pin) {
      return (await direct.getGPIO(of(fullName, pin), quick)).high;
    },
    async writePin(fullName, pin, high) {
      await client.setGPIO({ ...of(fullName, pin), high }, quick);
    },
    async readDuty(fullName, pin) {
      return (await direct.pWM(of(fullName, pin), quick)).dutyCyclePct;
    },
    async writeDuty(fullName, pin, duty) {
      await client.setPWM({ ...of(fullName, pin), dutyCyclePct: duty }, quick);
    },
    async readFrequency(fullName, pin) {
      return Number((await direct.pWMFrequency(of(fullName, pin), quick)).frequencyHz);
    },
    async writeFrequency(fullName, pin, frequencyHz) {
      await client.setPWMFrequency({ ...of(fullName, pin), frequencyHz: BigInt(Math.round(frequencyHz)) }, quick);
    },
  };
}

async function* watchStatus(channel: Channel, signal: AbortSignal): AsyncGenerator<StatusEvent> {
  const client = createClient(StatusServiceDefinition, channel);
  for await (const message of client.watch({}, { signal })) {
    const event = statusFrom(message);
    if (event !== undefined) yield event;
  }
}

async function* tailLogs(channel: Channel, options: LogTailOptions, signal: AbortSignal): AsyncGenerator<LogBatch> {
  const client = createClient(LogServiceDefinition, channel);
  const filter = { levels: levelsFrom(options.minimumLevel), logger: '', resource: '', text: '' };
  for await (const message of client.tail({ partId, filter, backlog: options.backlog }, { signal })) {
    yield batchFrom(message);
  }
}

async function* watchReadings(
  channel: Channel,
  request: WatchRequest,
  signal: AbortSignal,
): AsyncGenerator<WatchReading> {
  const client = createClient(WatchServiceDefinition, channel);
  const codec = watchCodecs[request.method];
  const item = {
    id: 'value',
    resource: request.resource,
    method: codec.method,
    request: codec.encode(shortName(request.resource), request.part),
    interval: { seconds: 0n, nanos: Math.round(1e9 / request.frequencyHz) },
  };
  for await (const update of client.watch({ items: [item] }, { signal })) {
    const ageMs = ageOf(update);
    if (update.result?.$case === 'response') {
      yield { value: codec.decode(update.result.value), error: '', ageMs };
    } else if (update.result?.$case === 'error') {
      yield { value: undefined, error: update.result.value.message, ageMs };
    }
  }
}

function ageOf({ age }: WatchUpdate): number {
  return age === undefined ? 0 : Number(age.seconds) * 1000 + age.nanos / 1e6;
}
