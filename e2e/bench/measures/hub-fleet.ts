import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeCertificate } from '../../harness/certificate.ts';
import { roleAt } from '../../harness/hub-process.ts';
import { PartsProcess, sharedNow } from '../hub/parts-process.ts';
import { startStreamHolder } from '../hub/stream-holder.ts';
import { CannotMeasure, type Measure, type Outcome } from '../measure.ts';
import { LOAD_CPU } from '../pinned-process.ts';
import { cpuMicros, memoryOf } from '../process-figures.ts';
import { firstPart, pinnedTo, startBenchHub, type BenchHub } from '../servers/hub.ts';
import { rowOf } from '../statistics.ts';

const PARTS = Number(process.env['ARMATURE_BENCH_PARTS'] ?? 5_000);
/** Saves under way at once. */
const SAVES_AT_ONCE = 32;
/** Until what was started has settled. */
const SETTLE_MS = 5_000;
const IDLE_MS = 60_000;
const POLL_MS = 10_000;
const POLLING_MS = 20_000;

const text = JSON.stringify({ components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake' }] });

/** Does something for each, so many at once. */
async function forEach<T>(values: readonly T[], atOnce: number, work: (value: T) => Promise<unknown>): Promise<void> {
  const waiting = [...values];
  const next = async (): Promise<void> => {
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) await work(value);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

async function makeParts({ owner }: BenchHub, machineId: string): Promise<string[]> {
  const ids: string[] = [];
  const names = Array.from({ length: PARTS }, (_, index) => `part${index}`);
  await forEach(names, SAVES_AT_ONCE, async (partName) => {
    ids.push((await owner.call('newRobotPart', { robotId: machineId, partName })).partId);
  });
  return ids;
}

/** Processor time of a process over a time, microseconds a second. */
async function cpuPerSecond(
  child: Parameters<typeof cpuMicros>[0],
  ms: number,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const [before, startedAt] = [cpuMicros(child), performance.now()];
  await Promise.all([pause(ms), meanwhile()]);
  return (cpuMicros(child) - before) / ((performance.now() - startedAt) / 1_000);
}

/** Memory that each part costs a server, KiB of what no file backs, and the seconds in which all were connected. */
async function connected(
  parts: PartsProcess,
  child: Parameters<typeof memoryOf>[0],
  target: Parameters<PartsProcess['connect']>[0],
  ids: readonly string[],
): Promise<{ readonly kib: number; readonly seconds: number }> {
  const before = memoryOf(child).anonymousMib;
  const { ms } = await parts.connect(target, ids);
  await pause(SETTLE_MS);
  return { kib: ((memoryOf(child).anonymousMib - before) * 1024) / ids.length, seconds: ms / 1_000 };
}

function requireFiles(): void {
  const most = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  if (most < PARTS + 200) throw new CannotMeasure(`needs ${PARTS + 200} open files; the limit is ${most} (ulimit -n)`);
}

/**
 * One hub process with thousands of parts, each with a TLS connection of its own. Once, not in rounds: making and
 * connecting them takes most of it. They share one key, as the parts of a workshop may.
 */
export const hubFleet: Measure = {
  name: 'hub-fleet',
  isDefault: true,
  async run({ scratchFolder, note }): Promise<readonly Outcome[]> {
    requireFiles();
    const hub = await startBenchHub(scratchFolder);
    const parts = new PartsProcess(pinnedTo(LOAD_CPU));
    const peerParts = new PartsProcess(pinnedTo(LOAD_CPU));
    const certificate = makeCertificate(await mkdtemp(path.join(scratchFolder, 'holder-')));
    const holder = await startStreamHolder(certificate.certFile, certificate.keyFile);
    try {
      note(`making ${PARTS} parts`);
      const { machineId } = await firstPart(hub);
      const ids = await makeParts(hub, machineId);
      note('connecting them');
      const { token } = hub.owner;
      const ours = await connected(parts, hub.child, { url: hub.process.url, authority: hub.authority, token }, ids);
      const peer = await connected(
        peerParts,
        holder.child,
        { url: holder.url, authority: readFileSync(certificate.certFile, 'utf8'), token },
        ids,
      );
      await peerParts.end();

      note('a key that all are told of');
      const keyAt = sharedNow();
      const told = parts.awaitMessages(2);
      await hub.owner.call('createKey', {
        name: 'told',
        authorizations: [roleAt('organization_operator', hub.organizationId)],
      });
      const toldMs = (await told).at - keyAt;

      note('a configuration for each');
      const savesAt = sharedNow();
      const received = parts.awaitMessages(3);
      await forEach(ids, SAVES_AT_ONCE, (id) =>
        hub.owner.call('updateRobotPart', { id, name: '', robotConfig: undefined, robotConfigJson: text }),
      );
      const savedMs = sharedNow() - savesAt;
      const pushedMs = (await received).at - savesAt;

      note('at rest, then polled');
      await pause(SETTLE_MS);
      const idle = await cpuPerSecond(hub.child, IDLE_MS, () => Promise.resolve());
      let answers = 0;
      const polled = await cpuPerSecond(hub.child, POLLING_MS, async () => {
        answers = (await parts.poll(POLL_MS, POLLING_MS)).answers;
      });
      return [
        rowOf(
          {
            name: 'fleet, memory',
            what: `a part of ${PARTS}, over TLS / a bare grpc-js server with the same streams`,
            unit: 'KiB',
            target: { kind: 'at most', value: 1.5 },
          },
          { ours: [ours.kib], peer: [peer.kib] },
          {
            'connected in, s': ours.seconds,
            'the peer in, s': peer.seconds,
            'RSS of the hub, MiB': memoryOf(hub.child).rssMib,
          },
        ),
        rowOf(
          {
            name: 'fleet, push',
            what: `a change that concerns all ${PARTS}, until the last has it / 5 s`,
            unit: 's',
            target: { kind: 'at most', value: 1 },
          },
          { ours: [toldMs / 1_000], peer: [5] },
          {},
        ),
        rowOf(
          {
            name: 'fleet, saves',
            what: `a configuration of its own for each, until the last has it / until all are stored`,
            unit: 's',
            target: undefined,
          },
          { ours: [pushedMs / 1_000], peer: [savedMs / 1_000] },
          { 'saves a second': PARTS / (savedMs / 1_000) },
        ),
        rowOf(
          {
            name: 'fleet, at rest',
            what: `processor time a second / the same parts asking every 10 s`,
            unit: 'us',
            target: { kind: 'at most', value: 0.02 },
          },
          { ours: [idle], peer: [polled] },
          { 'requests at rest': 0, 'requests when polled, a second': answers / (POLLING_MS / 1_000) },
        ),
      ];
    } finally {
      await Promise.all([parts.end(), peerParts.end(), holder.end()]);
      await hub.end();
    }
  },
};
