import { readdir, readlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import type { CallResponse } from '../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import type { SignalingCaller } from '../../src-main/rpc/webrtc/testing/calling-peer.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { UdpRelay } from '../harness/udp-relay.ts';
import { until } from '../harness/until.ts';
import { WebRtcCaller } from '../harness/webrtc-caller.ts';

const PEERS = 50;
const motors = Array.from({ length: PEERS }, (_, index) => `motor-${index}`);
const configAt = (port: number): string =>
  JSON.stringify({
    components: motors.map((name) => ({
      name,
      api: 'core:component:motor',
      model: 'fake',
      attributes: { max_rpm: 100 },
    })),
    network: { bind_address: `localhost:${port}` },
  });

/** Peers over WebRTC that connect and leave, or lose their network, and a machine that is killed meanwhile. */
describe('a machine with peers over WebRTC', () => {
  let home: string;
  let server: ServerProcess;
  let onlooker: MachineClient;

  beforeEach(async () => {
    home = await temporaryFolder();
    await start(0);
  });

  afterEach(async () => {
    onlooker.close();
    expect(await server.stop()).toBe(0);
  });

  async function start(port: number): Promise<void> {
    server = await startServer({ config: configAt(port), home });
    onlooker = new MachineClient(server);
  }

  async function dial(through?: (direct: SignalingCaller) => SignalingCaller): Promise<WebRtcCaller> {
    const signaling = new GrpcClient(server);
    const headers = { authorization: `Bearer ${server.token}`, 'rpc-host': `localhost:${server.port}` };
    const caller = await WebRtcCaller.dial(signaling, headers, through).finally(() => signaling.close());
    onTestFinished(() => caller.close());
    return caller;
  }
  const setPower = (caller: WebRtcCaller, name: string, powerPct: number): Promise<unknown> =>
    caller.call(MotorServiceDefinition, 'setPower', { name, powerPct });
  const moving = async (): Promise<number> => {
    const powers = await Promise.all(motors.map((name) => onlooker.power(name)));
    return powers.filter((power) => power !== 0).length;
  };
  const threads = async (): Promise<number> => (await readdir(`/proc/${server.process.pid}/task`)).length;
  async function open(): Promise<string[]> {
    const folder = `/proc/${server.process.pid}/fd`;
    return Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '/')));
  }
  /**
   * What the server holds open, by kind, without its files: those of its black box and of its hub come and go by
   * themselves, and a peer has none.
   */
  async function held(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const target of await open()) {
      const [kind = ''] = target.split(':[');
      if (!kind.startsWith('/')) counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  }

  it('keeps nothing of a hundred peers that came and went', async () => {
    const come = async (): Promise<void> => {
      const caller = await dial();
      await setPower(caller, 'motor-0', 0.2);
      caller.close();
    };
    const standing = (): Promise<void> =>
      until('its motor stands', async () => (await onlooker.power('motor-0')) === 0, 30_000);
    // The hub opens after the machine has started, with a connection to read and one to write: they are no peer's.
    await until(
      'its hub is open',
      async () => (await open()).filter((file) => file.endsWith('/hub.sqlite-wal')).length === 2,
      30_000,
    );
    for (let time = 0; time < 5; time++) await come();
    await standing();
    const before = { held: await held(), threads: await threads() };
    for (let time = 0; time < 100; time++) await come();
    await standing();
    await vi.waitFor(async () => expect(await held()).toEqual(before.held), { timeout: 30_000 });
    expect(await threads()).toBeLessThanOrEqual(before.threads + 1);
  });

  it('is killed under fifty peers, who find it again; each motor stops when its peer goes', async () => {
    const callers = await Promise.all(motors.map(() => dial()));
    await Promise.all(motors.map((name, index) => setPower(callers[index]!, name, 0.3)));
    expect(await moving()).toBe(PEERS);
    const { port } = server;
    onlooker.close();
    await server.crash();
    for (const caller of callers) caller.close();
    await start(port);
    expect(await moving()).toBe(0);

    const again = await Promise.all(motors.map(() => dial()));
    await Promise.all(motors.map((name, index) => setPower(again[index]!, name, 0.3)));
    for (const [index, caller] of again.entries()) {
      if (index % 2 === 0) caller.close();
    }
    await until('half of the motors stand', async () => (await moving()) === PEERS / 2, 30_000);
    for (const caller of again) caller.close();
    await until('all motors stand', async () => (await moving()) === 0, 30_000);
  });

  it('stops the motor of a peer whose network ends without a word, and is driven again when the peer has another', async () => {
    const relays: UdpRelay[] = [];
    onTestFinished(() => relays.forEach((relay) => relay.close()));
    const through = (direct: SignalingCaller): SignalingCaller => throughRelay(direct, (relay) => relays.push(relay));
    const caller = await dial(through);
    for (const relay of relays) relay.delayMs = 200;
    await setPower(caller, 'motor-0', 0.4);
    expect(await onlooker.power('motor-0')).toBe(0.4);
    for (const relay of relays) relay.isCut = true;
    await until('the motor stands', async () => (await onlooker.power('motor-0')) === 0, 30_000);
    await setPower(await dial(through), 'motor-0', 0.5);
    expect(await onlooker.power('motor-0')).toBe(0.5);
  });

  it('is driven over a network that loses 30 % of the packets and takes 200 ms, by a peer that dials again when it must', async () => {
    const relays: UdpRelay[] = [];
    onTestFinished(() => relays.forEach((relay) => relay.close()));
    const through = (direct: SignalingCaller): SignalingCaller =>
      throughRelay(direct, (relay) => {
        relay.delayMs = 200;
        relay.loss = 0.3;
        relays.push(relay);
      });
    const counts = { dials: 0, failedDials: 0, calls: 0, failedCalls: 0 };
    let caller: WebRtcCaller | undefined;
    const drive = async (power: number): Promise<boolean> => {
      try {
        if (caller === undefined) {
          counts.dials++;
          caller = await dial(through).catch((thrown: unknown) => {
            counts.failedDials++;
            throw thrown;
          });
        }
        counts.calls++;
        await setPower(caller, 'motor-0', power);
        return true;
      } catch {
        if (caller !== undefined) counts.failedCalls++;
        caller?.close();
        caller = undefined;
        return false;
      }
    };
    for (const power of [0.1, 0.2, 0.3, 0.4, 0.5]) {
      await until('it is driven', () => drive(power), 120_000);
      expect(await onlooker.power('motor-0')).toBe(power);
    }
    process.stdout.write(`over a network that loses 30 %: ${JSON.stringify(counts)}\n`);
    for (const relay of relays) relay.isCut = true;
    await until('the motor stands', async () => (await onlooker.power('motor-0')) === 0, 30_000);
  });
});

/** Routes the packets of a connection through a relay: the caller gets only the relay's address, not the machine's. */
function throughRelay(direct: SignalingCaller, onRelay: (relay: UdpRelay) => void): SignalingCaller {
  async function* call(sdp: string): AsyncGenerator<CallResponse> {
    let hasRelay = false;
    for await (const response of direct.call(sdp)) {
      const found = response.stage?.$case === 'update' ? response.stage.value.candidate : undefined;
      if (found === undefined) {
        yield response;
        continue;
      }
      const [, address = '', port = ''] = / ([\d.]+) (\d+) typ host/.exec(found.candidate) ?? [];
      if (address === '' || hasRelay) continue;
      hasRelay = true;
      const relay = await UdpRelay.start({ address, port: Number(port) });
      onRelay(relay);
      const candidate = found.candidate.replace(` ${address} ${port} `, ` 127.0.0.1 ${relay.port} `);
      yield { ...response, stage: { $case: 'update', value: { candidate: { ...found, candidate } } } };
    }
  }
  return { call, update: () => Promise.resolve() };
}
