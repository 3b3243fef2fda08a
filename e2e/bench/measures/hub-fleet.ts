import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeCertificate } from '../../harness/certificate.ts';
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
import { PartsProcess, type Target } from '../hub/parts-process.ts';
import { startStreamHolder } from '../hub/stream-holder.ts';
import type { Measure, Outcome } from '../measure.ts';
import { LOAD_CPU } from '../pinned-process.ts';
import { memoryOf } from '../process-figures.ts';
import { firstPart, pinnedTo, startBenchHub } from '../servers/hub.ts';
import { rowOf } from '../statistics.ts';

const IDLE_MS = 60_000;
const POLL_MS = 10_000;
const POLLING_MS = 20_000;

/**
 * One hub process with thousands of parts, each with its own TLS connection. Once, not in rounds, because creating and
 * connecting them takes most of the time. They share one key, as the parts of a workshop may.
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
      const ids = await makeParts(hub.owner, machineId);
      note('connecting them');
      const { token } = hub.owner;
      const connecting = (process: PartsProcess, target: Target) => async (): Promise<number> =>
        (await process.connect(target, ids)).ms;
      const ours = await costOfConnecting(
        [hub.child],
        PARTS,
        connecting(parts, { url: hub.process.url, authority: hub.authority, token }),
      );
      const authority = readFileSync(certificate.certFile, 'utf8');
      const peer = await costOfConnecting(
        [holder.child],
        PARTS,
        connecting(peerParts, { url: holder.url, authority, token }),
      );
      await peerParts.end();

      note('a key that all are told of');
      const told = parts.awaitMessages(2).then(({ at }) => at);
      const toldS = await tellAll(hub.owner, hub.organizationId, told);

      note('a configuration for each');
      const received = parts.awaitMessages(3).then(({ at }) => at);
      const { pushedMs, savedMs } = await saveAll(hub.owner, ids, received);

      note('at rest, then polled');
      await pause(SETTLE_MS);
      const idle = await cpuPerSecond([hub.child], IDLE_MS, () => Promise.resolve());
      let answers = 0;
      const polled = await cpuPerSecond([hub.child], POLLING_MS, async () => {
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
          { ours: [toldS], peer: [5] },
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
