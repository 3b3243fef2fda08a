import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a folder that is removed when the running test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-test-'));
  removeAfterTest(folder);
  return folder;
}

/** Removes a folder when the running test ends, such as the home of a server that crashes. */
export function removeAfterTest(folder: string): void {
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
}
