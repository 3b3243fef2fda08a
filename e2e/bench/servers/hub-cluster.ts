import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startPostgres, whyNoPostgres } from '../../../build/postgres-server.mjs';
import { s3Program } from '../../../build/s3-program.mjs';
import { freePort } from '../../../src-main/rpc/port/free-port.ts';
import { startOneHub, type HubProcess } from '../../harness/hub-process.ts';
import { CannotMeasure } from '../measure.ts';
import { endAtExit, LOAD_CPU, SERVER_CPU } from '../pinned-process.ts';
import { ownerAccess, pinnedTo, type OwnerAccess } from './hub.ts';

/** A PostgreSQL server and a bucket for measured hubs, on the processor of the load. */
export interface HubStores {
  /** Creates an empty database, and returns its address. */
  makeDatabase(name: string): Promise<string>;
  /** Address of the bucket, for `--files`; its keys are in the environment of this process. */
  readonly files: string;
  end(): Promise<void>;
}

/** @throws {CannotMeasure} where either is not available */
export async function startHubStores(): Promise<HubStores> {
  if (whyNoPostgres !== undefined) throw new CannotMeasure(whyNoPostgres);
  const program = s3Program();
  if (program === undefined) throw new CannotMeasure('neither versitygw nor moto can be had here');
  process.env['ARMATURE_TEST_S3_PROGRAM'] = program;
  const { S3Server } = await import('../../../src-main/hub/blobs/testing/s3-server.ts');
  // Separate folders: PostgreSQL runs as another user, who cannot reach the folder of this run.
  const folders = await Promise.all(
    ['pg', 'files'].map((name) => mkdtemp(path.join(os.tmpdir(), `armature-${name}-`))),
  );
  const [databases = '', objects = ''] = folders;
  const postgres = await startPostgres(databases, pinnedTo(LOAD_CPU));
  endAtExit(postgres.process);
  const bucket = await S3Server.start(objects);
  Object.assign(process.env, bucket.environment);
  return {
    files: bucket.address,
    makeDatabase: async (name) => {
      const client = new pg.Client({ connectionString: postgres.address });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      const address = new URL(postgres.address);
      address.pathname = `/${name}`;
      return address.href;
    },
    end: async () => {
      await bucket.kill();
      await postgres.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Hubs that serve one database, without a load balancer: the measurement chooses the hub that a part connects to. */
export interface BenchHubs extends OwnerAccess {
  /** Its owner is logged in at the first. */
  readonly hubs: readonly HubProcess[];
  end(): Promise<void>;
}

/** Starts this many hubs, all on the servers' processor. */
export async function startBenchHubs(
  scratch: string,
  { database, files }: { readonly database: string; readonly files: string },
  count: number,
): Promise<BenchHubs> {
  const folder = await mkdtemp(path.join(scratch, 'hubs-'));
  const hubs: HubProcess[] = [];
  for (let number = 0; number < count; number++) {
    const address = `localhost:${await freePort()}`;
    const shared = ['--database', database, '--files', files, '--cluster', `https://${address}`, '--bind', address];
    const data = path.join(folder, `data-${number}`);
    const hub = await startOneHub({ data, args: shared, through: pinnedTo(SERVER_CPU) });
    endAtExit(hub.process);
    hubs.push(hub);
  }
  const [first] = hubs;
  if (first === undefined) throw new Error('no hub was asked for');
  const access = await ownerAccess(first, ['--database', database]);
  return {
    hubs,
    ...access,
    end: async () => {
      access.owner.close();
      await Promise.all(hubs.map((hub) => hub.stop()));
    },
  };
}
