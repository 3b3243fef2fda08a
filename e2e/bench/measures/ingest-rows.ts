import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startPostgres, whyNoPostgres } from '../../../build/postgres-server.mjs';
import { sendUploads, uploadOf, type Upload } from '../hub/uploads.ts';
import { CannotMeasure, type Measure, type Outcome } from '../measure.ts';
import { endAtExit, SERVER_CPU } from '../pinned-process.ts';
import { cpuMicros } from '../process-figures.ts';
import { firstPart, pinnedTo, startBenchHub } from '../servers/hub.ts';
import { median, rowOf } from '../statistics.ts';

/** Readings per call: as many as a machine sends at once. */
const BATCH = 1_000;
const UPLOADS = 150;
/** Machines that send concurrently, each one call after another. */
const MACHINES = 4;
/** Rows that the peer stores in a round. */
const PEER_ROWS = 10_000;

/** Four numbers and a text: about a hundred bytes of JSON. */
function valuesOf(number: number): Readonly<Record<string, unknown>> {
  return {
    celsius: 20 + (number % 100) / 10,
    humidity: 48.5,
    pressure: 1_013.25,
    count: number,
    state: 'running',
  };
}

function uploadsOf(partId: string, round: number): Upload[] {
  const at = Date.now();
  return Array.from({ length: UPLOADS }, (_, index) =>
    uploadOf(`round-${round}-${index}`, {
      partId,
      componentName: `sensor-${index % MACHINES}`,
      at: at + index * BATCH,
      values: Array.from({ length: BATCH }, (_value, reading) => valuesOf(index * BATCH + reading)),
    }),
  );
}

/** One row per commit, the next when the previous one is durable. @returns rows a second */
async function peerRows(client: pg.Client, rows: number): Promise<number> {
  const query = { name: 'insert', text: 'INSERT INTO readings VALUES ($1, $2, $3, $4, $5)' };
  const payloads = Array.from({ length: rows }, (_, row) => JSON.stringify({ readings: valuesOf(row) }));
  const startedAt = performance.now();
  for (const [row, payload] of payloads.entries()) {
    const at = 1_800_000_000_000 + row;
    await client.query({ ...query, values: [row, 1, at, at, payload] });
  }
  return rows / ((performance.now() - startedAt) / 1_000);
}

async function openPeer(address: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query('SET synchronous_commit = on');
  const { rows } = await client.query<{ synchronous_commit: string; fsync: string }>(
    `SELECT current_setting('synchronous_commit') AS synchronous_commit, current_setting('fsync') AS fsync`,
  );
  const { synchronous_commit, fsync } = rows[0] ?? {};
  if (synchronous_commit !== 'on' || fsync !== 'on') throw new Error('the peer would not be durable');
  await client.query(
    'CREATE TABLE readings (id bigint, capture_id bigint, requested_at bigint, received_at bigint, payload text)',
  );
  return client;
}

/**
 * Readings that a hub on SQLite receives from its machines, checks, and stores durably, against PostgreSQL with one row
 * per commit.
 */
export const ingestRows: Measure = {
  name: 'ingest-rows',
  isDefault: true,
  async run({ rounds, scratchFolder, note }): Promise<readonly Outcome[]> {
    if (whyNoPostgres !== undefined) throw new CannotMeasure(whyNoPostgres);
    // Not in the scratch folder, which the user that runs PostgreSQL may not enter.
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-bench-pg-'));
    const postgres = await startPostgres(folder, pinnedTo(SERVER_CPU));
    endAtExit(postgres.process);
    const hub = await startBenchHub(scratchFolder);
    const peer = await openPeer(postgres.address);
    try {
      const { partId } = await firstPart(hub);
      const found = { ours: [] as number[], peer: [] as number[], micros: [] as number[] };
      for (let round = 0; round <= rounds; round++) {
        note(round === 0 ? 'warms up' : `round ${round}`);
        const uploads = uploadsOf(partId, round);
        const cpu = cpuMicros(hub.child);
        const seconds = await sendUploads(hub.owner, uploads, MACHINES);
        const micros = cpuMicros(hub.child) - cpu;
        const peerPerSecond = await peerRows(peer, PEER_ROWS);
        if (round === 0) continue;
        found.ours.push((UPLOADS * BATCH) / seconds);
        found.peer.push(peerPerSecond);
        found.micros.push(micros / (UPLOADS * BATCH));
      }
      return [
        rowOf(
          {
            name: 'ingest, rows',
            what: `uploads of ${BATCH} readings by ${MACHINES} machines over TLS into SQLite / PostgreSQL, one row a commit`,
            unit: 'rows/s',
            target: { kind: 'at least', value: 7 },
          },
          found,
          { 'processor time a row, us': median(found.micros) },
        ),
      ];
    } finally {
      await peer.end();
      await hub.end();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
