import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CannotRun } from './cannot-run.ts';

/** Far longer than building a kernel takes on one slow processor. */
const LIMIT_MS = 60 * 60_000;

/**
 * Runs a program to its end. Its output is kept, and shown if it fails.
 * @throws CannotRun with the end of its output
 */
export async function run(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
  let printed = '';
  const keep = (chunk: Buffer): void => void (printed = (printed + chunk.toString()).slice(-20_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const [code] = (await Promise.race([
    once(child, 'close'),
    once(child, 'error').then(([error]) => Promise.reject(error as Error)),
  ])) as [number | null];
  if (code !== 0) throw new CannotRun(`${command} ${args.join(' ')} failed:\n${printed}`);
  return printed;
}
