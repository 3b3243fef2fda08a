import path from 'node:path';
import { Level, type Entry } from '../../../proto/gen/core/log/v1/log.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { bareSqlite } from '../hub/bare-sqlite.ts';
import type { Measure, Outcome } from '../measure.ts';
import { cpuMicros } from '../process-figures.ts';
import { firstPart, startBenchHub, type BenchHub } from '../servers/hub.ts';
import { median, rowOf } from '../statistics.ts';

/** Lines per round, each round from new parts, so that the limit per part is not measured. */
const LINES = 20_000;
const BATCH = 100;
const PARTS = 10;

function entriesFrom(first: number): Entry[] {
  return Array.from({ length: BATCH }, (_, index) => ({
    seq: BigInt(first + index),
    time: new Date(),
    level: Level.INFO,
    logger: 'core.bench',
    message: `a line of the log, number ${first + index}`,
    fields: {},
    resource: '',
    caller: '',
    repeatCount: 1,
    firstTime: undefined,
  }));
}

/**
 * Ten parts at once, each sending one batch after another. @returns lines a second, and processor time a line in
 * microseconds
 */
async function ingest(
  hub: BenchHub,
  ids: readonly string[],
): Promise<{ readonly perSecond: number; readonly micros: number }> {
  const headers = { authorization: `Bearer ${hub.owner.token}` };
  const [cpu, startedAt] = [cpuMicros(hub.child), performance.now()];
  await Promise.all(
    ids.map(async (partId) => {
      for (let first = 1; first <= LINES / PARTS; first += BATCH) {
        const request = { partId, logId: 'bench', entries: entriesFrom(first) };
        await hub.owner.grpc.call(PartServiceDefinition, 'uploadLogs', request, { headers });
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return { perSecond: LINES / seconds, micros: (cpuMicros(hub.child) - cpu) / LINES };
}

/** Log lines that a hub receives over TLS and stores durably, against the same lines into a plain SQLite file. */
export const hubLogs: Measure = {
  name: 'hub-logs',
  isDefault: true,
  async run({ rounds, scratchFolder }): Promise<readonly Outcome[]> {
    const hub = await startBenchHub(scratchFolder);
    try {
      const { machineId } = await firstPart(hub);
      const found = { ours: [] as number[], peer: [] as number[], micros: [] as number[] };
      for (let round = 0; round <= rounds; round++) {
        const names = Array.from({ length: PARTS }, (_, index) => `round${round}-${index}`);
        const ids = await Promise.all(
          names.map(
            async (partName) => (await hub.owner.call('newRobotPart', { robotId: machineId, partName })).partId,
          ),
        );
        const { perSecond, micros } = await ingest(hub, ids);
        const peer = await bareSqlite(path.join(scratchFolder, `bare-${round}.sqlite`), LINES, BATCH);
        if (round === 0) continue;
        found.ours.push(perSecond);
        found.peer.push(peer);
        found.micros.push(micros);
      }
      return [
        rowOf(
          {
            name: 'hub, log lines',
            what: `batches of ${BATCH} from ${PARTS} parts, over TLS / into a bare SQLite file`,
            unit: 'lines/s',
            target: undefined,
          },
          found,
          { 'processor time a line, us': median(found.micros) },
        ),
      ];
    } finally {
      await hub.end();
    }
  },
};
