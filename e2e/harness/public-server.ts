import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * Path of the public server, built from its source outside this repository: github.com/viamrobotics/rdk,
 * `CGO_ENABLED=0 go build -tags no_cgo ./web/cmd/server`.
 */
const program = process.env['ARMATURE_VIAM_SERVER'];

export interface PublicServer {
  readonly process: ChildProcess;
  /** `localhost:PORT` */
  readonly address: string;
  /** Everything that it has printed so far. */
  readonly log: () => string;
}

/** Skips the running test if there is no such program. */
export function needPublicServer(context: TestContext): void {
  if (program === undefined) context.skip('ARMATURE_VIAM_SERVER names no server');
}

/**
 * Starts the public server for the running test on a free port.
 * @param config its configuration without `network`
 * @param environment added to PATH and a home of its own
 */
export async function startPublicServer(
  config: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<PublicServer> {
  const home = await temporaryFolder();
  const port = await freePort();
  const file = path.join(home, 'viam.json');
  await writeFile(file, JSON.stringify({ ...config, network: { bind_address: `localhost:${port}` } }));
  const child = spawn(program ?? '', ['-config', file], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  let printed = '';
  const served = new Promise<void>((resolve, reject) => {
    const take = (text: string): void => {
      printed += text;
      if (printed.includes('\tserving\t')) resolve();
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    void closed.then(() => reject(new Error(`the public server ended before it served:\n${printed}`)));
  });
  await served;
  return { process: child, address: `localhost:${port}`, log: () => printed };
}

/** Needed because the public server does not take port 0. */
async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
