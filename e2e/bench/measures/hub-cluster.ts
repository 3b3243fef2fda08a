import { setTimeout as pause } from 'node:timers/promises';
import {
  costOfConnecting,
  cpuPerSecond,
  makeParts,
  PARTS,
  requireFiles,
  saveAll,
  SETTLE_MS,
  tellAll,
} from '../hub/fleet-load.ts';
import { PartsProcess, sharedNow, type Target } from '../hub/parts-process.ts';
import type { Measure, Outcome, Row } from '../measure.ts';
import { LOAD_CPU } from '../pinned-process.ts';
import { firstPart, pinnedTo } from '../servers/hub.ts';
import { startBenchHubs, startHubStores, type BenchHubs } from '../servers/hub-cluster.ts';
import { rowOf } from '../statistics.ts';

const REST_MS = 30_000;
/** A change has to reach every part within this time, also after a hub was killed. */
const REACHES_S = 15;

interface Figures {
  /** Memory of all hubs per part, KiB. */
  readonly kib: number;
  readonly connectedS: number;
  /** Time from changing a key that concerns all until the last part was notified. */
  readonly toldS: number;
  /** With a separate configuration for each: time until the last part had it, and until the last was stored. */
  readonly pushedS: number;
  readonly savedS: number;
  /** Processor time of all hubs, microseconds a second. */
  readonly rest: number;
}

interface KilledFigures {
  /** Time until the parts of the killed hub were connected to the other. */
  readonly backS: number;
  /** Time from changing a key that concerns all until the remaining hub had notified the last part. */
  readonly toldS: number;
}

/**
 * Thousands of parts at two hubs that share a PostgreSQL database, and at one. All hubs run on one processor, so that
 * the cost of sharing is measured, not the gain of a second computer. Once, not in rounds.
 */
export const hubCluster: Measure = {
  name: 'hub-cluster',
  isDefault: true,
  async run({ scratchFolder, note }): Promise<readonly Outcome[]> {
    requireFiles();
    const stores = await startHubStores();
    const measured = async (count: number): Promise<{ figures: Figures; killed: KilledFigures | undefined }> => {
      const database = await stores.makeDatabase(`bench_${count}`);
      // Each fleet has its own objects.
      const files = stores.files.replace('/hub?', `/hub-${count}?`);
      const hubs = await startBenchHubs(scratchFolder, { database, files }, count);
      try {
        return await figuresOf(hubs, note);
      } finally {
        await hubs.end();
      }
    };
    try {
      const one = (await measured(1)).figures;
      const { figures: two, killed } = await measured(2);
      return [
        row('two hubs, memory', `both, a part of ${PARTS} / one hub that has all`, 'KiB', two.kib, one.kib),
        row(
          'two hubs, connecting',
          `until all ${PARTS} are connected / at one hub`,
          's',
          two.connectedS,
          one.connectedS,
        ),
        inTime('two hubs, push', `a change that concerns all ${PARTS} / at one hub`, two.toldS, one.toldS),
        row(
          'two hubs, saves',
          'until the last part has its own configuration / at one hub',
          's',
          two.pushedS,
          one.pushedS,
        ),
        row(
          'two hubs, saves a second',
          'by one of them / at one hub',
          'saves/s',
          PARTS / two.savedS,
          PARTS / one.savedS,
        ),
        row('two hubs, at rest', 'processor time a second of both / of one that has all', 'us', two.rest, one.rest),
        ...(killed === undefined ? [] : rowsOfKilled(killed)),
      ];
    } finally {
      await stores.end();
    }
  },
};

function rowsOfKilled({ backS, toldS }: KilledFigures): Outcome[] {
  return [
    inTime(
      'one of two killed, back',
      `${PARTS / 2} parts, until they are at the other / ${REACHES_S} s`,
      backS,
      REACHES_S,
    ),
    inTime('one of two killed, push', `then a change that concerns all / ${REACHES_S} s`, toldS, REACHES_S),
  ];
}

/** A row of one measurement. */
function row(name: string, what: string, unit: string, ours: number, peer: number, target?: Row['target']): Row {
  return rowOf({ name, what, unit, target }, { ours: [ours], peer: [peer] }, {});
}

/** A row of seconds that must not be more than {@link REACHES_S}. */
function inTime(name: string, what: string, ours: number, peer: number): Row {
  return row(name, what, 's', ours, peer, { kind: 'at most', value: REACHES_S, of: 'ours' });
}

async function figuresOf(
  fleet: BenchHubs,
  note: (text: string) => void,
): Promise<{ figures: Figures; killed: KilledFigures | undefined }> {
  const { hubs, owner, authority, organizationId } = fleet;
  const count = hubs.length;
  const children = hubs.map(({ process }) => process);
  const targets = hubs.map(({ url }): Target => ({ url, authority, token: owner.token }));
  const processes = hubs.map(() => new PartsProcess(pinnedTo(LOAD_CPU)));
  try {
    note(`making ${PARTS} parts at ${count} ${count === 1 ? 'hub' : 'hubs'}`);
    const { machineId } = await firstPart({ owner, organizationId });
    const ids = await makeParts(owner, machineId);
    const shares = hubs.map((_, index) => ids.filter((_id, at) => at % count === index));
    note('connecting them');
    const { kib, seconds } = await costOfConnecting(children, PARTS, async () => {
      const begin = sharedNow();
      await Promise.all(processes.map((parts, index) => parts.connect(targets[index] as Target, shares[index] ?? [])));
      return sharedNow() - begin;
    });
    note('a key that all are told of, and a configuration for each');
    const toldS = await tellAll(owner, organizationId, lastOf(processes.map((parts) => parts.awaitMessages(2))));
    const received = lastOf(processes.map((parts) => parts.awaitMessages(3)));
    const { pushedMs, savedMs } = await saveAll(owner, ids, received);
    note('at rest');
    await pause(SETTLE_MS);
    const rest = await cpuPerSecond(children, REST_MS, () => Promise.resolve());
    const figures = { kib, connectedS: seconds, toldS, pushedS: pushedMs / 1_000, savedS: savedMs / 1_000, rest };
    const [left, killed] = hubs;
    const [atLeft, atKilled] = processes;
    if (left === undefined || killed === undefined || atLeft === undefined || atKilled === undefined) {
      return { figures, killed: undefined };
    }
    note('one is killed');
    await killed.crash();
    await atKilled.end();
    const back = new PartsProcess(pinnedTo(LOAD_CPU));
    processes.push(back);
    const { ms } = await back.connect(targets[0] as Target, shares[1] ?? []);
    // Each receives its identity and its configuration when it connects.
    await back.awaitMessages(2);
    const toldLaterS = await tellAll(owner, organizationId, lastOf([atLeft.awaitMessages(4), back.awaitMessages(3)]));
    return { figures, killed: { backS: ms / 1_000, toldS: toldLaterS } };
  } finally {
    await Promise.all(processes.map((parts) => parts.end()));
  }
}

/** The time when the last of several was done. */
async function lastOf(received: readonly Promise<{ readonly at: number }>[]): Promise<number> {
  return Math.max(...(await Promise.all(received)).map(({ at }) => at));
}
