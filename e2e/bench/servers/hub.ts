import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { HubClient, startHub, type HubProcess } from '../../harness/hub-process.ts';
import { runArmature } from '../../harness/server-process.ts';
import { canPin, endAtExit, SERVER_CPU } from '../pinned-process.ts';

/** What its owner has of a hub. */
export interface OwnerAccess {
  /** Certificate to trust, PEM. */
  readonly authority: string;
  readonly owner: HubClient;
  readonly organizationId: string;
}

/** The built hub in a separate process, over TLS. */
export interface BenchHub extends OwnerAccess {
  readonly process: HubProcess;
  readonly child: ChildProcess;
  end(): Promise<void>;
}

/** A command prefix that runs a program on one processor (and becomes it); empty where that is not possible. */
export function pinnedTo(cpu: number): readonly string[] {
  return canPin ? ['taskset', '-c', String(cpu)] : [];
}

/**
 * Starts an empty hub on the servers' processor.
 * @param args additional options of `armature hub`
 */
export async function startBenchHub(scratch: string, args: readonly string[] = []): Promise<BenchHub> {
  const data = path.join(await mkdtemp(path.join(scratch, 'hub-')), 'data');
  const hub = await startHub({ data, args, through: pinnedTo(SERVER_CPU) });
  endAtExit(hub.process);
  const access = await ownerAccess(hub, args);
  return {
    process: hub,
    child: hub.process,
    ...access,
    end: async () => {
      access.owner.close();
      await hub.stop();
    },
  };
}

/**
 * Logs in to a hub that has started for the first time.
 * @param args the options of `armature hub` that say where its data is, except `--data`
 */
export async function ownerAccess(hub: HubProcess, args: readonly string[]): Promise<OwnerAccess> {
  if (hub.ownerKey === undefined) throw new Error('a new hub printed no key');
  const authority = (await runArmature(['hub', 'ca', '--data', hub.data, ...args])).stdout;
  const owner = await HubClient.logIn(hub.url, hub.ownerKey, authority);
  return { authority, owner, organizationId: hub.organizationId ?? '' };
}

/** The main part of the machine that the first start created, and a secret for it. */
export async function firstPart({
  owner,
  organizationId,
}: Pick<BenchHub, 'owner' | 'organizationId'>): Promise<{ machineId: string; partId: string; secret: string }> {
  const { robots } = await owner.call('listRobotsForOrg', { orgId: organizationId });
  const machineId = robots[0]?.id ?? '';
  const { parts } = await owner.call('getRobotParts', { robotId: machineId });
  const partId = parts[0]?.id ?? '';
  const { part } = await owner.call('createRobotPartSecret', { partId });
  return { machineId, partId, secret: part?.secrets.at(-1)?.secret ?? '' };
}
