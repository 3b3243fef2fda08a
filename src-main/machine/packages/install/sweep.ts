import { rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { HISTORY_FOLDER, versionRecordFile, type PackageVersion } from '../version-history.ts';
import { namesIn, type Installed, type PackageStore, type PackageMetadata } from '../package-store.ts';

/** How long unused packages are kept: if configured again within that time, they need no hub. */
export const GRACE_MS = 7 * 24 * 60 * 60 * 1_000;
/** How long the packages of a machine are kept after its last run. */
const CLAIM_MS = 90 * 24 * 60 * 60 * 1_000;
/** How long an interrupted download is kept. */
const PART_MS = 3 * 24 * 60 * 60 * 1_000;
/** Time limit for waiting on a locked module: the next sweep will try again. */
const LOCK_TIMEOUT_MS = 1_000;

/**
 * Removes packages that no machine with this home runs, ran before or wants, and that were not used for {@link
 * GRACE_MS}.
 * @param inUse what this machine runs now
 * @returns the removed packages
 */
export async function sweep<F extends PackageMetadata>(
  store: PackageStore<F>,
  clock: Clock,
  inUse: readonly Installed<F>[],
): Promise<readonly Installed<F>[]> {
  const now = clock.now();
  for (const installed of inUse)
    await utimes(store.statePath(installed), now / 1_000, now / 1_000).catch(() => undefined);
  const claimed = await claims(store.folder, now);
  for (const installed of inUse) claimed.add(claimOf(installed.moduleId, installed));
  const removed: Installed<F>[] = [];
  for (const moduleId of await store.ids()) {
    const controller = new AbortController();
    const patience = clock.after(LOCK_TIMEOUT_MS, () => controller.abort());
    try {
      await store.withLock(moduleId, controller.signal, async () => {
        for (const installed of await store.installed(moduleId)) {
          if (claimed.has(claimOf(moduleId, installed)) || !(await isOlder(store.statePath(installed), now - GRACE_MS)))
            continue;
          await store.remove(installed);
          removed.push(installed);
        }
        for (const part of await store.parts(moduleId))
          if (await isOlder(part, now - PART_MS)) await rm(part, { force: true });
      });
    } catch (thrown) {
      if (!controller.signal.aborted) throw thrown;
    } finally {
      patience.cancel();
    }
  }
  return removed;
}

/** Removes unpacked archives of local modules that this machine no longer has. */
export async function sweepFolders(folder: string, clock: Clock, isInUse: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder)) {
    const one = path.join(folder, name);
    if (!isInUse(name) && (await isOlder(one, clock.now() - GRACE_MS))) await rm(one, { recursive: true, force: true });
  }
}

/** The versions that became ready last, and before that, on the machines with this home. */
async function claims(folder: string, now: number): Promise<Set<string>> {
  const claimed = new Set<string>();
  const histories = path.join(folder, HISTORY_FOLDER);
  for (const name of await namesIn(histories)) {
    const file = path.join(histories, name);
    if (!name.endsWith('.json') || (await isOlder(file, now - CLAIM_MS))) continue;
    for (const { moduleId, accepted, previous } of Object.values((await versionRecordFile(file).load()) ?? {})) {
      for (const version of [accepted, previous]) if (version !== null) claimed.add(claimOf(moduleId, version));
    }
  }
  return claimed;
}

function claimOf(moduleId: string, { version, platform }: PackageVersion): string {
  return `${moduleId} ${version} ${platform}`;
}

async function isOlder(file: string, time: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && found.mtimeMs < time;
}
