import path from 'node:path';
import pg from 'pg';
import { freePort } from '../../src-main/rpc/port/free-port.ts';
import { startOneHub, type HubProcess, type HubProcessOptions } from './hub-process.ts';
import { TcpBalancer } from './tcp-balancer.ts';

/** What the hubs of a cluster share. */
export interface TestCluster {
  /** A PostgreSQL server in which databases can be created. */
  readonly postgres: string;
  /** A bucket, written as for `--files`; its keys are in the environment. */
  readonly files: string;
}

const [postgres, files] = [process.env['ARMATURE_TEST_CLUSTER_POSTGRES'], process.env['ARMATURE_TEST_CLUSTER_FILES']];

/** Set by `npm run test:cluster`. */
export const testCluster: TestCluster | undefined =
  postgres === undefined || files === undefined ? undefined : { postgres, files };

/** Two hubs that serve one database behind one address. */
export interface HubPair extends HubProcess {
  readonly hubs: readonly [HubProcess, HubProcess];
  /** URL of the database. */
  readonly database: string;
}

/** Databases by the folder of the first hub: hubs that are started there again get the same one. */
const databases = new Map<string, string>();

/** Starts two hubs and a balancer in front of them. Stopping the pair stops both. */
export async function startHubPair(
  { data, args = [], through = [] }: HubProcessOptions,
  cluster: TestCluster,
): Promise<HubPair> {
  const database = databases.get(data) ?? (await makeDatabase(cluster.postgres));
  databases.set(data, database);
  const bindAt = args.indexOf('--bind');
  const port = bindAt < 0 ? 0 : Number(args[bindAt + 1]?.split(':').at(-1));
  const others = bindAt < 0 ? args : args.toSpliced(bindAt, 2);
  const isTlsOff = others.includes('--no-tls');
  const start = async (folder: string): Promise<HubProcess> => {
    const ownPort = await freePort();
    const address = `${isTlsOff ? 'http' : 'https'}://localhost:${ownPort}`;
    const shared = ['--database', database, '--files', cluster.files, '--cluster', address];
    return startOneHub({ data: folder, args: [...shared, ...others, '--bind', `localhost:${ownPort}`], through });
  };
  const first = await start(data);
  const second = await start(path.join(path.dirname(data), `${path.basename(data)}-2`)).catch(
    async (thrown: unknown) => {
      await first.stop();
      throw thrown;
    },
  );
  const hubs = [first, second] as const;
  const balancer = await TcpBalancer.start(
    hubs.map(({ url }) => Number(new URL(url).port)),
    port,
  );
  const end = async (how: (hub: HubProcess) => Promise<number | null | void>): Promise<number | null> => {
    const codes = await Promise.all(hubs.map(how));
    await balancer.close();
    return codes.find((code) => typeof code === 'number' && code !== 0) ?? codes[0] ?? null;
  };
  return {
    ...first,
    hubs,
    database,
    url: `${isTlsOff ? 'http' : 'https'}://localhost:${balancer.port}`,
    place: [...first.place, '--database', database],
    stdout: () => hubs.map((hub) => hub.stdout()).join('\n'),
    stderr: () => hubs.map((hub) => hub.stderr()).join('\n'),
    stop: () => end((hub) => hub.stop()),
    crash: async () => void (await end((hub) => hub.crash())),
  };
}

async function makeDatabase(server: string): Promise<string> {
  const name = `armature_${process.pid}_${Date.now()}_${databases.size}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const address = new URL(server);
  address.pathname = `/${name}`;
  return address.href;
}
