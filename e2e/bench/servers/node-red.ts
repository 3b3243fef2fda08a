import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';
import { firstAnswer } from './first-answer.ts';
import { installPeer, peerFile, type Peer } from './install-peer.ts';
import { freePort } from '../../../src-main/rpc/port/free-port.ts';

export const NODE_RED_VERSION = '4.1.15';

const START_LIMIT_MS = 60_000;

const peer: Peer = { name: 'node-red', version: NODE_RED_VERSION, file: 'red.js' };
const program = peerFile(peer);

/**
 * Installs Node-RED if it is missing.
 * @throws {CannotMeasure} where it cannot be installed
 */
export function installNodeRed(note: (text: string) => void): Promise<void> {
  return installPeer(peer, note);
}

/** Nodes of a flow and their tab, as Node-RED's own editor stores them. */
export type Flow = readonly Readonly<Record<string, unknown>>[];

/** One flow: receives an HTTP request, sends its response. */
const requestFlow: Flow = [
  { id: 'tab', type: 'tab', label: 'bench' },
  { id: 'in', type: 'http in', z: 'tab', url: '/is-moving', method: 'get', wires: [['out']] },
  { id: 'out', type: 'http response', z: 'tab', statusCode: '200', wires: [] },
];

/** Its defaults, bound to loopback and without outgoing requests. */
const settings = (port: number): object => ({
  uiHost: '127.0.0.1',
  uiPort: port,
  flowFile: 'flows.json',
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false },
});

export interface NodeRedServer {
  readonly child: ChildProcess;
  readonly port: number;
  /** `performance.now()` just before it was started. */
  readonly startedAt: number;
  end(): Promise<void>;
}

/**
 * Writes a user folder for it, in `scratch`. The first start in a folder adds its own files.
 * @param flow must also answer GET /is-moving
 */
export async function makeUserFolder(scratch: string, flow = requestFlow): Promise<string> {
  const folder = path.join(scratch, 'node-red');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'flows.json'), JSON.stringify(flow));
  return folder;
}

/** Starts it on a free port, with the same Node as this process. Does not wait for it. */
export async function startNodeRed(
  userFolder: string,
  environment: Readonly<Record<string, string>>,
): Promise<NodeRedServer> {
  const port = await freePort();
  const settingsFile = path.join(userFolder, 'settings.js');
  await writeFile(settingsFile, `module.exports = ${JSON.stringify(settings(port))};\n`);
  const startedAt = performance.now();
  const child = spawnNode([program, '--userDir', userFolder, '--settings', settingsFile], {
    cpu: SERVER_CPU,
    environment,
    hasChannel: false,
  });
  return { child, port, startedAt, end: () => endProcess(child) };
}

/** Milliseconds from start to the first request answered by the flow. */
export async function msToFlow({ child, port, startedAt }: NodeRedServer): Promise<number> {
  const ask = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, path: '/is-moving', agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode === 200));
      });
      request.on('error', reject);
    });
  return (await firstAnswer(child, ask, START_LIMIT_MS)) - startedAt;
}
