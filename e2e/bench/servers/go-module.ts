import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CannotMeasure } from '../measure.ts';

const BUILD_LIMIT_MS = 10 * 60_000;
const source = path.join(import.meta.dirname, 'go-module');
/** Kept from run to run, and readable for others: a module may run as a user of its own. */
const folder = path.join(os.tmpdir(), 'armature-bench-peers', 'go-module');

/** The model of its sensors. */
export const GO_SENSOR_MODEL = 'acme:bench:sensor';

/**
 * Builds the module of `go-module/` and gives the path of its program.
 * @throws {CannotMeasure} if it cannot be built
 */
export async function buildGoModule(): Promise<string> {
  await mkdir(folder, { recursive: true });
  const program = path.join(folder, 'go-module');
  const options = { cwd: source, env: { ...process.env, CGO_ENABLED: '0' }, timeout: BUILD_LIMIT_MS };
  try {
    await promisify(execFile)('go', ['build', '-mod=readonly', '-o', program, '.'], options);
  } catch (thrown) {
    const reason = String(thrown).trim().split('\n').at(-1);
    throw new CannotMeasure(`the module in Go could not be built: ${reason}`);
  }
  return program;
}
