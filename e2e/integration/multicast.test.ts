import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { decode, encode, type Answer, type DecodedPacket } from 'dns-packet';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  FoundMachine_Transport,
  NetworkServiceDefinition,
  WatchMachinesResponse_State,
  type FoundMachine,
  type WatchMachinesResponse,
} from '../../proto/gen/core/network/v1/network.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { GROUP, hasMulticast, PORT } from '../harness/multicast.ts';
import { startServer, type ServerOptions, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const isPossible = await hasMulticast();
const note = isPossible ? '' : ' (skipped: this computer has no multicast on loopback)';

/** Queries on loopback, as public clients do, and returns the first response about that name. */
async function lookUp(name: string): Promise<DecodedPacket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  onTestFinished(() => void socket.close());
  socket.bind(PORT);
  await once(socket, 'listening');
  socket.addMembership(GROUP, '127.0.0.1');
  socket.setMulticastInterface('127.0.0.1');
  const types = ['SRV', 'TXT'] as const;
  const questions = types.map((type) => ({ type, name: `${name}._rpc._tcp.local` }));
  const answers: DecodedPacket[] = [];
  socket.on('message', (bytes) => {
    const message = decode(bytes);
    if (message.type === 'response' && message.answers?.[0]?.name === questions[0]?.name) answers.push(message);
  });
  // A machine gets its name from its hub, possibly after it has started to serve.
  const ask = (): boolean => {
    if (answers.length === 0) socket.send(encode({ type: 'query', questions }), PORT, GROUP);
    return answers.length > 0;
  };
  await until(`somebody answers for ${name}`, ask, 10_000);
  return answers[0] as DecodedPacket;
}

async function serve(options: ServerOptions): Promise<ServerProcess> {
  const server = await startServer(options);
  onTestFinished(async () => void (await server.stop()));
  return server;
}

function withNetwork(network: object): string {
  return JSON.stringify({ network: { bind_address: 'localhost:0', ...network } });
}

/** Whether a process has a UDP socket at the port of multicast DNS. */
function listens({ pid }: ServerProcess['process']): boolean {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      return '';
    }
  });
  const rows = readFileSync(`/proc/${pid}/net/udp`, 'utf8').split('\n').slice(1);
  const atPort = rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[1]?.endsWith(':14E9'));
  return atPort.some((row) => links.includes(`socket:[${row[9]}]`));
}

const typed = (records: readonly Answer[] | undefined, type: string): Answer | undefined =>
  records?.find((record) => record.type === type);

describe.skipIf(!isPossible)(`a machine looked for by its name in the local network${note}`, () => {
  it.each([
    ['with dots', (name: string) => name],
    ['with dashes', (name: string) => name.replaceAll('.', '-')],
  ])(
    'is found by the name that its hub gives to clients, %s: port, gRPC, an address of this computer',
    async (_, as) => {
      const fleet = await Fleet.start();
      const part = await fleet.partId();
      const { part: row } = await fleet.owner.call('getRobotPart', { id: part });
      const fqdn = row?.fqdn ?? '';
      const server = await serve({ config: await fleet.configOf(part) });
      const { answers, additionals } = await lookUp(as(fqdn));
      expect(typed(answers, 'SRV')).toMatchObject({ data: { port: server.port, target: fqdn } });
      expect(String((typed(answers, 'TXT') as { data: Buffer[] }).data[0])).toBe('grpc');
      expect(typed(additionals, 'A')).toMatchObject({ name: fqdn, data: '127.0.0.1' });
    },
  );

  it('is found by network.fqdn, without a hub too', async () => {
    const config = withNetwork({ fqdn: 'arm.hall.armature.local' });
    const server = await serve({ config, args: ['-hub=false'] });
    const { answers } = await lookUp('arm.hall.armature.local');
    expect(typed(answers, 'SRV')).toMatchObject({ data: { port: server.port } });
  });

  it.skipIf(!existsSync('/proc/self/net/udp'))('listens for that unless -disable-mdns is given', async () => {
    const config = withNetwork({});
    expect(listens((await serve({ config })).process)).toBe(true);
    expect(listens((await serve({ config, args: ['-disable-mdns'] })).process)).toBe(false);
  });
});

/** The machines that a machine finds from now on, until the end of the test. */
function watchMachines(server: ServerProcess) {
  const client = new GrpcClient(server);
  const stream = client.stream(NetworkServiceDefinition, 'watchMachines', {});
  let last: WatchMachinesResponse | undefined;
  stream.on('data', (message: WatchMachinesResponse) => (last = message));
  stream.on('error', () => undefined); // cancelled
  onTestFinished(() => {
    stream.cancel();
    client.close();
  });
  return {
    cancel: () => stream.cancel(),
    told: () => last,
    /** Other servers of this computer may be found too. */
    named: (name: string): FoundMachine | undefined => last?.machines.find((machine) => machine.name === name),
  };
}

describe.skipIf(!isPossible)(`machines in the local network${note}`, () => {
  const nameOf = (machine: string): string => `${machine}.p${process.pid}.armature.local`;
  const start = (machine: string, args: readonly string[] = []): Promise<ServerProcess> =>
    serve({ config: withNetwork({ fqdn: nameOf(machine) }), args: ['-hub=false', ...args] });

  it('find each other, each once and without itself, while somebody watches; one that ends takes leave', async () => {
    const here = await start('here');
    const there = await start('there');
    const watch = watchMachines(here);
    await until('the other one is found', () => watch.named(nameOf('there')) !== undefined, 20_000);
    expect(watch.named(nameOf('there'))).toEqual({
      name: nameOf('there'),
      addresses: ['127.0.0.1'],
      port: there.port,
      transport: FoundMachine_Transport.CLEAR,
    });
    const ports = watch.told()?.machines.map(({ port }) => port) ?? [];
    expect(ports.filter((port) => port === there.port)).toHaveLength(1);
    expect(ports).not.toContain(here.port);
    const back = watchMachines(there);
    await until('it finds this one', () => back.named(nameOf('here')) !== undefined, 20_000);
    back.cancel();
    await there.stop();
    await until('it is gone', () => watch.named(nameOf('there')) === undefined, 10_000);
  }, 90_000);

  it('say of a port with a certificate that it takes TLS', async () => {
    const fleet = await Fleet.start();
    const part = await fleet.partId();
    const { part: row } = await fleet.owner.call('getRobotPart', { id: part });
    await serve({ config: await fleet.configOf(part) });
    const watch = watchMachines(await start('here'));
    await until(
      'it is found with its certificate',
      () => watch.named(row?.fqdn ?? '')?.transport === FoundMachine_Transport.TLS,
      20_000,
    );
  }, 90_000);

  it('are not looked for with -disable-mdns, which is said', async () => {
    const watch = watchMachines(await start('here', ['-disable-mdns']));
    await until('it is said', () => watch.told()?.state === WatchMachinesResponse_State.DISABLED, 10_000);
    expect(watch.told()?.machines).toEqual([]);
  }, 60_000);
});
