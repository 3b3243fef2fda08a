import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the running test's own, gone when the test is. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-test-'));
  removeAfterTest(folder);
  return folder;
}

/** Has a folder that somebody else made gone when the running test is: the home of a server that crashes. */
export function removeAfterTest(folder: string): void {
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
}
