import type { ChildProcess } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../../src-main/rpc/port/free-port.ts';
import { CannotMeasure } from '../measure.ts';
import { endProcess, SERVER_CPU, spawnPinned } from '../pinned-process.ts';

/** The public server, running with a configuration. */
export interface ViamServer {
  readonly child: ChildProcess;
  readonly port: number;
  readonly configPath: string;
  /** `performance.now()` just before it was started. */
  readonly startedAt: number;
  end(): Promise<void>;
}

/**
 * Path of the public server, which has to be built first; RESULTS.md says how.
 * @throws {CannotMeasure} where no path is given
 */
export function viamServerProgram(): string {
  const program = process.env['ARMATURE_BENCH_VIAM_SERVER'];
  if (program === undefined) throw new CannotMeasure('ARMATURE_BENCH_VIAM_SERVER does not name a viam-server');
  return program;
}

/**
 * Starts it with the configuration that `config` makes for its port, with a separate home folder. Does not wait for it.
 */
export async function startViamServer(
  program: string,
  scratch: string,
  config: (port: number) => string,
): Promise<ViamServer> {
  const port = await freePort();
  const home = await mkdtemp(path.join(scratch, 'viam-server-'));
  const configPath = path.join(home, 'viam.json');
  await writeFile(configPath, config(port));
  const startedAt = performance.now();
  const child = spawnPinned(program, ['-config', configPath, '-disable-mdns'], {
    cpu: SERVER_CPU,
    environment: { HOME: home, VIAM_HOME: path.join(home, '.viam') },
    hasChannel: false,
  });
  // It logs there, and blocks when nobody reads it.
  child.stderr?.resume();
  return { child, port, configPath, startedAt, end: () => endProcess(child) };
}
