import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the running test's own, gone when the test is. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
