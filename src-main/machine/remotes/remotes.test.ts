import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { parseServerAddress } from '../../base/server-address.ts';
import { StatusCode } from '../../base/status.ts';
import type { MetadataRecord } from '../../rpc/metadata.ts';
import type { PeerCaller } from '../../rpc/peer/outbound-call.ts';
import type { Responder } from '../../rpc/router.ts';
import { settle } from '../graph/testing/graph-fixture.ts';
import type { MachineConfig, RemoteConfig } from '../config/machine-config.ts';
import { configOf } from '../config/config.fixture.ts';
import { Remotes } from './remotes.ts';
import type { WebRtcDialling } from './remote-connect.ts';

const MOTOR = 'core:component:motor';
const { methods: robot } = RobotServiceDefinition;

/** Another machine, from this machine's point of view. */
class Elsewhere implements PeerCaller {
  names: readonly string[] = [];
  /** Ends calls with this error, as if the other program were not a machine. */
  failure: { readonly code: StatusCode; readonly message: string } | undefined;
  readonly shown: unknown[] = [];
  readonly proofs: unknown[] = [];
  connections = 0;
  hasSessions = false;
  /** The services that it lists, by API. */
  services: Readonly<Record<string, string>> | undefined;
  sessions = 0;
  isSessionOver = false;
  readonly beats: string[] = [];
  #watch: Responder | undefined;

  readonly start: PeerCaller['start'] = (path, metadata, _timeoutMs, responder) => {
    const answer = (bytes: Uint8Array): void => {
      void responder.message(bytes, true);
      responder.end({ code: StatusCode.OK, message: '' }, {});
    };
    return {
      message: (bytes) => {
        if (this.failure !== undefined) responder.end(this.failure, {});
        else if (path.endsWith('/Authenticate')) this.#authenticate(bytes, answer);
        else if (path.endsWith('/ResourceNames')) this.#list(metadata, answer);
        else if (path.endsWith('/ResourceRPCSubtypes') && this.services !== undefined) this.#tellServices(answer);
        else if (path.endsWith('/StartSession') && this.hasSessions) this.#startSession(answer);
        else if (path.endsWith('/SendSessionHeartbeat')) this.#beat(bytes, answer, responder);
        else if (path.endsWith('/Watch')) this.#watch = responder;
        else responder.end({ code: StatusCode.UNIMPLEMENTED, message: path }, {});
        return undefined;
      },
      halfClose: () => undefined,
      cancel: () => undefined,
    };
  };

  close(): void {
    this.#watch = undefined;
  }

  /** Breaks the connection. */
  break(message: string): void {
    this.failure = { code: StatusCode.UNAVAILABLE, message };
    this.#watch?.end(this.failure, {});
  }

  #startSession(answer: (bytes: Uint8Array) => void): void {
    this.sessions++;
    const heartbeatWindow = { seconds: 2n, nanos: 0 };
    answer(robot.startSession.responseType.encode({ id: `session ${this.sessions}`, heartbeatWindow }).finish());
  }

  #beat(bytes: Uint8Array, answer: (bytes: Uint8Array) => void, responder: Responder): void {
    this.beats.push(robot.sendSessionHeartbeat.requestType.decode(bytes).id);
    if (this.isSessionOver) responder.end({ code: StatusCode.INVALID_ARGUMENT, message: 'SESSION_EXPIRED' }, {});
    else answer(robot.sendSessionHeartbeat.responseType.encode({}).finish());
    this.isSessionOver = false;
  }

  #authenticate(bytes: Uint8Array, answer: (bytes: Uint8Array) => void): void {
    const { requestType, responseType } = AuthServiceDefinition.methods.authenticate;
    this.shown.push(requestType.decode(bytes));
    answer(responseType.encode({ accessToken: 'token' }).finish());
  }

  #tellServices(answer: (bytes: Uint8Array) => void): void {
    const resourceRpcSubtypes = Object.entries(this.services ?? {}).map(([api, protoService]) => {
      const [namespace = '', type = '', subtype = ''] = api.split(':');
      return { subtype: { namespace, type, subtype, name: '', remotePath: [], localName: '' }, protoService };
    });
    answer(robot.resourceRPCSubtypes.responseType.encode({ resourceRpcSubtypes }).finish());
  }

  #list(metadata: Readonly<MetadataRecord>, answer: (bytes: Uint8Array) => void): void {
    this.proofs.push(metadata['authorization']);
    const resources = this.names.map((text) => {
      const [type = '', subtype = '', name = ''] = text.split('/');
      return { namespace: 'rdk', type, subtype, name, remotePath: [], localName: '' };
    });
    answer(robot.resourceNames.responseType.encode({ resources }).finish());
  }
}

describe('remotes of a machine', () => {
  let clock: ManualClock;
  let remotes: Remotes;
  let machines: Record<string, Elsewhere>;
  let lines: string[];
  let webrtc: WebRtcDialling | undefined;

  beforeEach(() => {
    webrtc = undefined;
    clock = new ManualClock();
    machines = { one: new Elsewhere(), two: new Elsewhere() };
    lines = [];
    const note = (message: string): void => void lines.push(message);
    remotes = new Remotes({
      models: { find: () => undefined },
      foreign: () => undefined,
      get webrtc() {
        return webrtc;
      },
      open: ({ host }) => {
        const machine = machines[host] ?? new Elsewhere();
        machine.connections++;
        return Promise.resolve(machine);
      },
      allowsInsecureCreds: false,
      clock,
      logger: { ...silentLogger, info: note, warn: note, error: note },
      random: () => 0,
    });
  });

  afterEach(() => remotes.close());

  const remote = (name: string, more: Partial<RemoteConfig> = {}): RemoteConfig => ({
    name,
    address: parseServerAddress(`https://${name}:8080`)!,
    prefix: '',
    credentials: undefined,
    checkMs: 10_000,
    reconnectMs: 1_000,
    isDisabled: false,
    pointer: '/remotes/0',
    problems: [],
    ...more,
  });
  async function apply(list: readonly RemoteConfig[], own: readonly string[] = []): Promise<void> {
    const resources = own.map((fullName) => ({ fullName }) as MachineConfig['resources'][number]);
    remotes.apply({ ...configOf({}), remotes: list, resources });
    await settle();
  }
  const names = (): string[] => remotes.resources().map(({ fullName }) => fullName);
  const wait = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };

  it('are what it has, under their names with a prefix; what it cannot serve and built-in services are left out', async () => {
    machines['one']!.names = [
      'component/motor/left',
      'service/motion/builtin',
      'component/arm/arm',
      'component/motor/x:y',
    ];
    await apply([remote('one', { prefix: 'far-' })]);
    expect(names()).toEqual([`${MOTOR}/far-left`]);
    const [config] = remotes.resources();
    expect(config).toMatchObject({ model: 'core:remote:one', attributes: { name: 'left' } });
    expect(remotes.find(MOTOR, 'core:remote:one')).toMatchObject({ isActuator: true });
  });

  it('have resources of APIs that only they know, where they tell by which service', async () => {
    const machine = machines['one']!;
    machine.names = ['component/motor/left', 'component/arm/arm', 'component/gantry/x'];
    machine.services = {
      'rdk:component:motor': 'viam.component.motor.v1.MotorService',
      'rdk:component:arm': 'viam.component.arm.v1.ArmService',
    };
    await apply([remote('one')]);
    expect(names()).toEqual([`${MOTOR}/left`, 'core:component:arm/arm']);
    expect(remotes.sources.map(({ label, apis }) => ({ label, apis }))).toEqual([
      {
        label: 'the remote one',
        apis: [{ api: 'core:component:arm', service: 'core.component.arm.v1.ArmService' }],
      },
    ]);
    const [source] = remotes.sources;
    machine.break('the cable is out');
    await settle();
    expect([remotes.sources.length, source?.isToReturn(), source?.closed.aborted]).toEqual([0, true, true]);
    expect(names()).toEqual([`${MOTOR}/left`, 'core:component:arm/arm']);
    await apply([]);
    expect(source?.isToReturn()).toBe(false);
  });

  it('are asked again and again what they have, and their changes are told', async () => {
    let changes = 0;
    remotes.onChange(() => changes++);
    machines['one']!.names = ['component/motor/left'];
    await apply([remote('one')]);
    expect(changes).toBe(1);
    await wait(10_000);
    expect(changes).toBe(1);
    machines['one']!.names = ['component/motor/left', 'component/motor/right'];
    await wait(10_000);
    expect([changes, names()]).toEqual([2, [`${MOTOR}/left`, `${MOTOR}/right`]]);
  });

  it('that are lost are noticed at once, keep their names, say why, and are another connection when they are back', async () => {
    const machine = machines['one']!;
    machine.names = ['component/motor/left'];
    await apply([remote('one')]);
    const before = remotes.find(MOTOR, 'core:remote:one');
    machine.break('the cable is out');
    await settle();
    expect(remotes.find(MOTOR, 'core:remote:one')).toBeUndefined();
    expect(names()).toEqual([`${MOTOR}/left`]);
    expect(remotes.obstacleTo(remotes.resources()[0]!)).toMatchObject({
      reason: 'waiting for the remote one, which is not connected: the cable is out',
      isUnderWay: false,
    });
    machine.failure = undefined;
    await wait(1_000);
    const after = remotes.find(MOTOR, 'core:remote:one');
    expect(after).toBeDefined();
    expect(after).not.toBe(before);
    expect(lines.filter((line) => line.includes('is not reached'))).toHaveLength(1);
  });

  it('say how each connection is: since when, why not, and when it is tried again', async () => {
    const told: string[] = [];
    const end = remotes.subscribe(({ upserted, removed }) => {
      told.push(...upserted.map(({ name, state }) => `${name} ${state}`), ...removed.map((name) => `${name} is gone`));
    });
    const start = clock.now();
    await apply([remote('one'), remote('two', { isDisabled: true })]);
    expect(told).toEqual(['one connecting', 'two disabled', 'one connected']);
    await wait(5_000);
    machines['one']!.break('the cable is out');
    await settle();
    const [status] = remotes.statuses();
    expect(status).toEqual({
      name: 'one',
      address: 'https://one:8080',
      state: 'failed',
      reason: 'the cable is out',
      since: start + 5_000,
      attempts: 1,
      nextRetryAt: start + 6_000,
    });
    await wait(1_000);
    // A failed retry: the state began when it did before.
    expect(remotes.statuses()[0]).toMatchObject({ since: start + 5_000, attempts: 2 });
    machines['one']!.failure = undefined;
    await wait(4_000);
    expect(remotes.statuses()[0]).toMatchObject({
      state: 'connected',
      reason: '',
      attempts: 0,
      nextRetryAt: undefined,
    });
    told.length = 0;
    await apply([remote('one')]);
    expect(told).toEqual(['two is gone']);
    end();
    await apply([]);
    expect(told).toHaveLength(1);
  });

  it('that do not answer are tried more and more rarely, and are told of once', async () => {
    machines['one']!.failure = { code: StatusCode.UNAVAILABLE, message: 'nobody is there' };
    await apply([remote('one')]);
    for (let second = 0; second < 120; second++) await wait(1_000);
    expect(machines['one']!.connections).toBeLessThan(12);
    expect(machines['one']!.connections).toBeGreaterThan(5);
    expect(lines).toHaveLength(1);
  });

  it('hold up nobody: one is there while another is not', async () => {
    machines['one']!.failure = { code: StatusCode.UNAVAILABLE, message: 'nobody is there' };
    machines['two']!.names = ['component/motor/left'];
    await apply([remote('one'), remote('two')]);
    expect(names()).toEqual([`${MOTOR}/left`]);
  });

  it('do not take names of this machine, and share none: such are called REMOTE:NAME, and an error says so once', async () => {
    machines['one']!.names = ['component/motor/left', 'component/motor/right'];
    machines['two']!.names = ['component/motor/right'];
    await apply([remote('one'), remote('two')], [`${MOTOR}/left`]);
    expect(names()).toEqual([`${MOTOR}/one:left`, `${MOTOR}/one:right`, `${MOTOR}/two:right`]);
    names();
    expect(lines.filter((line) => line.includes('"prefix"'))).toHaveLength(2);
    await apply([remote('one', { prefix: 'a-' }), remote('two')], [`${MOTOR}/left`]);
    expect(names().sort()).toEqual([`${MOTOR}/a-left`, `${MOTOR}/a-right`, `${MOTOR}/right`]);
  });

  it('are shown the key that is for them, and their calls carry its token; never in clear text to another computer', async () => {
    const credentials = { type: 'api-key', entity: 'id', payload: 'secret' };
    machines['one']!.names = ['component/motor/left'];
    await apply([
      remote('one', { credentials }),
      remote('two', { credentials, address: parseServerAddress('http://two')! }),
    ]);
    expect(machines['one']!.shown).toEqual([{ entity: 'id', credentials: { type: 'api-key', payload: 'secret' } }]);
    expect(machines['one']!.proofs).toEqual(['Bearer token']);
    expect(machines['two']!.connections).toBe(0);
    expect(lines.find((line) => line.includes('remote two'))).toContain('in clear text');
    expect(lines.join()).not.toContain('secret');
  });

  describe('with WebRTC', () => {
    const credentials = { type: 'api-key', entity: 'id', payload: 'secret' };
    /** Who was asked for, and the credentials shown there. */
    let dials: string[];
    let failure: Error | undefined;

    beforeEach(() => {
      dials = [];
      failure = undefined;
      machines['far'] = new Elsewhere();
      machines['far'].names = ['component/motor/far'];
      webrtc = {
        dial: ({ signaling, host }) => {
          signaling('/proto.rpc.webrtc.v1.SignalingService/Call', { 'rpc-host': host }, undefined, {
            headers: () => undefined,
            message: () => undefined,
            end: () => undefined,
          });
          dials.push(host);
          if (failure !== undefined) return Promise.reject(failure);
          const { start } = machines['far']!;
          return Promise.resolve({ start, signaled: Promise.resolve(), close: () => undefined });
        },
        hub: undefined,
      };
    });

    it('are dialled by their address, are shown the key there, and calls over the connection need none', async () => {
      await apply([remote('one', { credentials })]);
      expect(dials).toEqual(['one:8080']);
      expect(names()).toEqual([`${MOTOR}/far`]);
      expect(machines['one']!.shown).toHaveLength(1);
      expect(machines['far']!.proofs).toEqual([undefined]);
      expect(lines.at(-1)).toContain('over WebRTC, signaled directly');
    });

    it('are asked for by an IPv6 address in brackets, as a port follows it', async () => {
      await apply([remote('one', { address: parseServerAddress('https://[fd00::1]:8080')! })]);
      expect(dials).toEqual(['[fd00::1]:8080']);
    });

    it('are connected to directly where that does not come about', async () => {
      failure = new Error('there is no way for UDP');
      machines['one']!.names = ['component/motor/left'];
      await apply([remote('one')]);
      expect(names()).toEqual([`${MOTOR}/left`]);
      expect(lines.at(-1)).toMatch(/directly$/);
    });

    it('of the same hub are asked for there, and at their address when the hub is away', async () => {
      const hub = new Elsewhere();
      let isAway = false;
      webrtc = {
        ...webrtc!,
        hub: () => (isAway ? Promise.reject(new Error('the hub is away')) : Promise.resolve(hub)),
      };
      const name = 'bench.home.armature.local';
      machines[name] = new Elsewhere();
      const same = remote('same', { address: parseServerAddress(name)!, credentials });
      await apply([same, remote('one')]);
      expect(dials.toSorted()).toEqual([`${name}:443`, 'one:8080']);
      expect([hub.shown.length, machines[name].connections]).toEqual([1, 0]);
      isAway = true;
      await apply([]);
      await apply([same]);
      expect(machines[name].connections).toBe(1);
      machines[name].failure = { code: StatusCode.UNAVAILABLE, message: 'nobody is there' };
      await apply([]);
      await apply([same]);
      expect(lines.at(-1)).toMatch(/by the hub: the hub is away.* At its address: nobody is there/);
    });
  });

  it('have a session of this machine, which beats five times in its window, and another one when it is over', async () => {
    const machine = machines['one']!;
    machine.hasSessions = true;
    await apply([remote('one')]);
    for (let beat = 0; beat < 5; beat++) await wait(400);
    expect(machine.beats).toEqual(Array<string>(5).fill('session 1'));
    machine.isSessionOver = true;
    await wait(400);
    await wait(400);
    expect(machine.beats.at(-1)).toBe('session 2');
    await apply([]);
    const before = machine.beats.length;
    await wait(4_000);
    expect(machine.beats).toHaveLength(before);
  });

  it('that are disabled, wrong or removed are not connected to; a change of one leaves the others', async () => {
    await apply([remote('one'), remote('two', { isDisabled: true })]);
    expect([machines['one']!.connections, machines['two']!.connections]).toEqual([1, 0]);
    await apply([remote('one', { pointer: '/remotes/1' }), remote('two')]);
    expect([machines['one']!.connections, machines['two']!.connections]).toEqual([1, 1]);
    await apply([]);
    await wait(60_000);
    expect([machines['one']!.connections, machines['two']!.connections]).toEqual([1, 1]);
    expect(names()).toEqual([]);
  });
});
