import { readFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { roleAt, type HubClient } from '../../harness/hub-process.ts';
import { CannotMeasure } from '../measure.ts';
import { cpuMicros, memoryOf } from '../process-figures.ts';
import { sharedNow } from './parts-process.ts';

/** Number of parts of the measured fleet. */
export const PARTS = Number(process.env['ARMATURE_BENCH_PARTS'] ?? 5_000);
/** Time for a newly started process to settle. */
export const SETTLE_MS = 5_000;
/** Number of concurrent saves. */
const SAVES_AT_ONCE = 32;

const text = JSON.stringify({ components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake' }] });

/** @throws {CannotMeasure} where a process may not have a connection for each part */
export function requireFiles(): void {
  const most = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  if (most < PARTS + 200) throw new CannotMeasure(`needs ${PARTS + 200} open files; the limit is ${most} (ulimit -n)`);
}

/** Runs `work` for each value, with limited concurrency. */
async function forEach<T>(values: readonly T[], work: (value: T) => Promise<unknown>): Promise<void> {
  const waiting = [...values];
  const next = async (): Promise<void> => {
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) await work(value);
  };
  await Promise.all(Array.from({ length: SAVES_AT_ONCE }, next));
}

/** Creates the parts of a machine, and returns their ids. */
export async function makeParts(owner: HubClient, machineId: string): Promise<string[]> {
  const ids: string[] = [];
  const names = Array.from({ length: PARTS }, (_, index) => `part${index}`);
  await forEach(names, async (partName) => {
    ids.push((await owner.call('newRobotPart', { robotId: machineId, partName })).partId);
  });
  return ids;
}

export interface Saved {
  /** Time until the last part had its configuration. */
  readonly pushedMs: number;
  /** Time until the last one was stored. */
  readonly savedMs: number;
}

/**
 * Stores a separate configuration for each part.
 * @param received resolves when the last part had it, by {@link sharedNow}
 */
export async function saveAll(owner: HubClient, ids: readonly string[], received: Promise<number>): Promise<Saved> {
  const begin = sharedNow();
  await forEach(ids, (id) =>
    owner.call('updateRobotPart', { id, name: '', robotConfig: undefined, robotConfigJson: text }),
  );
  const savedMs = sharedNow() - begin;
  return { pushedMs: (await received) - begin, savedMs };
}

/**
 * Creates a key, which concerns every part of an organization. Resolves with the seconds until the last part was told.
 * @param told resolves when the last part was told, by {@link sharedNow}
 */
export async function tellAll(owner: HubClient, organizationId: string, told: Promise<number>): Promise<number> {
  const begin = sharedNow();
  await owner.call('createKey', { name: 'told', authorizations: [roleAt('organization_operator', organizationId)] });
  return ((await told) - begin) / 1_000;
}

/** Processor time of processes over an interval, microseconds a second. */
export async function cpuPerSecond(
  children: readonly ChildProcess[],
  ms: number,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const used = (): number => children.reduce((sum, child) => sum + cpuMicros(child), 0);
  const [before, startedAt] = [used(), performance.now()];
  await Promise.all([pause(ms), meanwhile()]);
  return (used() - before) / ((performance.now() - startedAt) / 1_000);
}

export interface ConnectingCost {
  /** Memory that each part costs the servers, KiB not backed by a file. */
  readonly kib: number;
  /** Time until all were connected. */
  readonly seconds: number;
}

/**
 * The cost of connecting parts.
 * @param connect resolves with the milliseconds that it took
 */
export async function costOfConnecting(
  children: readonly ChildProcess[],
  parts: number,
  connect: () => Promise<number>,
): Promise<ConnectingCost> {
  const used = (): number => children.reduce((sum, child) => sum + memoryOf(child).anonymousMib, 0);
  const before = used();
  const ms = await connect();
  await pause(SETTLE_MS);
  return { kib: ((used() - before) * 1024) / parts, seconds: ms / 1_000 };
}
