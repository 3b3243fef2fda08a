import { rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { MEMORIES, memoryRecord, type VersionOf } from '../machine-memory.ts';
import { namesIn, type Kept, type PackageStore, type StoredFacts } from '../package-store.ts';

/** What nobody wants any more stays so long: whoever takes it back has it at once, without a hub. */
export const GRACE_MS = 7 * 24 * 60 * 60 * 1_000;
/** What a machine that is not running claims is kept so long after its last run. */
const CLAIM_MS = 90 * 24 * 60 * 60 * 1_000;
/** A download that nobody went on with. */
const PART_MS = 3 * 24 * 60 * 60 * 1_000;
/** Somebody who works on a module is not waited for: there is a next time. */
const PATIENCE_MS = 1_000;

/**
 * Removes packages that no machine of this home runs, ran before or wants, and that were not used for {@link GRACE_MS}.
 * @param inUse what this machine runs now
 * @returns what was removed
 */
export async function sweep<F extends StoredFacts>(
  store: PackageStore<F>,
  clock: Clock,
  inUse: readonly Kept<F>[],
): Promise<readonly Kept<F>[]> {
  const now = clock.now();
  for (const kept of inUse) await utimes(store.statePath(kept), now / 1_000, now / 1_000).catch(() => undefined);
  const claimed = await claims(store.folder, now);
  for (const kept of inUse) claimed.add(claimOf(kept.moduleId, kept));
  const removed: Kept<F>[] = [];
  for (const moduleId of await store.ids()) {
    const controller = new AbortController();
    const patience = clock.after(PATIENCE_MS, () => controller.abort());
    try {
      await store.inTurn(moduleId, controller.signal, async () => {
        for (const kept of await store.kept(moduleId)) {
          if (claimed.has(claimOf(moduleId, kept)) || !(await isOlder(store.statePath(kept), now - GRACE_MS))) continue;
          await store.remove(kept);
          removed.push(kept);
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

/** Removes what was unpacked for local modules that this machine has no more. */
export async function sweepFolders(folder: string, clock: Clock, isInUse: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder)) {
    const one = path.join(folder, name);
    if (!isInUse(name) && (await isOlder(one, clock.now() - GRACE_MS))) await rm(one, { recursive: true, force: true });
  }
}

/** What the machines of this home became ready with last, and before that. */
async function claims(folder: string, now: number): Promise<Set<string>> {
  const claimed = new Set<string>();
  const memories = path.join(folder, MEMORIES);
  for (const name of await namesIn(memories)) {
    const file = path.join(memories, name);
    if (!name.endsWith('.json') || (await isOlder(file, now - CLAIM_MS))) continue;
    for (const { moduleId, accepted, previous } of Object.values((await memoryRecord(file).load()) ?? {})) {
      for (const version of [accepted, previous]) if (version !== null) claimed.add(claimOf(moduleId, version));
    }
  }
  return claimed;
}

function claimOf(moduleId: string, { version, platform }: VersionOf): string {
  return `${moduleId} ${version} ${platform}`;
}

async function isOlder(file: string, time: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && found.mtimeMs < time;
}
