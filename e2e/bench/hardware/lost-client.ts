import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { startServer } from '../../harness/server-process.ts';
import { letOnAllProcessors, onAllProcessors } from './on-all-processors.ts';

const fixture = path.join(import.meta.dirname, '../../fixtures/linux-bench.json');
const driver = path.join(import.meta.dirname, '../../integration/driving-client.ts');
/** `network.sessions.heartbeat_window` of the fixture, and the wire that its motor drives forwards. */
export const WINDOW_MS = 500;
const WIRE = 'in1';
const GIVE_UP_MS = 10_000;

/**
 * How long a motor's wire stays high, in ms, when the client that drives it in a session is killed, and when it is
 * frozen: on the built server with board `linux` and simulated hardware.
 */
export async function lostClients(rounds: number): Promise<{ killed: number[]; frozen: number[] }> {
  const config = await readFile(fixture, 'utf8');
  const server = await startServer({ config, args: ['-simulate-hardware'] });
  letOnAllProcessors(server.process);
  const observer = new MachineClient(server.url);
  const isHigh = async (): Promise<boolean> => {
    const request = { name: 'bench', command: { simulate: { probe: WIRE } } };
    const { result } = await observer.grpc.call(BoardServiceDefinition, 'doCommand', request);
    return result?.['is_high'] === true;
  };
  const highAfter = async (signal: 'SIGKILL' | 'SIGSTOP'): Promise<number> => {
    const command = [process.execPath, driver, server.url, 'left', 'setPower', 'session'];
    const child = spawn(...onAllProcessors(command), { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      if (!(await isHigh())) throw new Error('the motor of the client is not driven');
      const beganMs = performance.now();
      child.kill(signal);
      while (await isHigh()) {
        if (performance.now() > beganMs + GIVE_UP_MS) throw new Error(`the motor was still driven after ${signal}`);
        await delay(1);
      }
      return performance.now() - beganMs;
    } finally {
      child.kill('SIGKILL');
    }
  };
  try {
    const [killed, frozen]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      killed.push(await highAfter('SIGKILL'));
      frozen.push(await highAfter('SIGSTOP'));
    }
    return { killed, frozen };
  } finally {
    observer.close();
    await server.stop();
  }
}
