import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { Client, credentials, status, type ServiceError } from '@grpc/grpc-js';
import type { Measure, Outcome } from '../measure.ts';
import { canPin, endAtExit, endProcess, SERVER_CPU } from '../pinned-process.ts';
import { isAnswered } from '../rpc/one-call.ts';
import { startArmature } from '../servers/armature.ts';
import { firstAnswer } from '../servers/first-answer.ts';
import { benchModule, getReadings, getReadingsPath, modulesConfig, ModuleStates } from '../servers/modules.ts';
import { rowOf } from '../statistics.ts';

/** Modules of one machine, each killed once: the growing delay of a module that crashes repeatedly is not measured. */
const MODULES = 4;
const LIMIT_MS = 30_000;
const BETWEEN_TRIES_MS = 2;

interface Program {
  readonly executable_path: string;
}

/** Milliseconds from the start of the program until it has answered a call on a new connection. */
async function bareSpawn(executable: string, scratch: string): Promise<number> {
  const folder = await mkdtemp(path.join(scratch, 'bare-'));
  const address = path.join(folder, 'm.sock');
  const command = [executable, address];
  const [file = '', ...args] = canPin ? ['taskset', '-c', String(SERVER_CPU), ...command] : command;
  const startedAt = performance.now();
  const child = spawn(file, args, { stdio: 'ignore' });
  endAtExit(child);
  try {
    return (await firstAnswer(child, () => answersOn(address), LIMIT_MS)) - startedAt;
  } finally {
    await endProcess(child);
    await rm(folder, { recursive: true, force: true });
  }
}

/** It has no such sensor and says so, which counts as an answer. */
function answersOn(address: string): Promise<boolean> {
  const client = new Client(`unix:${address}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const bytes = Buffer.from(getReadings('nobody'));
  const deadline = Date.now() + LIMIT_MS;
  return new Promise<boolean>((resolve) => {
    const same = (value: Buffer): Buffer => value;
    client.makeUnaryRequest(getReadingsPath, same, same, bytes, { deadline }, (error: ServiceError | null) =>
      resolve(error?.code === status.NOT_FOUND),
    );
  }).finally(() => client.close());
}

/** From SIGKILL of a module's process until its resource answers through the machine again. */
export const moduleRestart: Measure = {
  name: 'module-restart',
  isDefault: true,
  async run({ rounds, scratchFolder }): Promise<readonly Outcome[]> {
    const ours: number[] = [];
    const peer: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const names = Array.from({ length: MODULES }, (_, index) => `restart-${round}-${index}`);
      const all = await Promise.all(names.map((name) => benchModule(scratchFolder, name)));
      const server = await startArmature(scratchFolder, (port) =>
        modulesConfig(
          port,
          all.map(({ module }) => module),
          all.map(({ sensor }) => sensor),
        ),
      );
      const isBack = (sensor: string): Promise<boolean> =>
        isAnswered(server.port, getReadingsPath, getReadings(sensor));
      try {
        for (const { sensorName } of all) await firstAnswer(server.child, () => isBack(sensorName), LIMIT_MS);
        const states = new ModuleStates(server);
        for (const [index, { module, sensorName }] of all.entries()) {
          const name = names[index] ?? '';
          let pid = 0;
          while ((pid = states.modules.get(name)?.pid ?? 0) === 0) {
            await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
          }
          const killedAt = performance.now();
          process.kill(pid, 'SIGKILL');
          // The machine has to notice the death first: an answer that was already on its way does not count.
          while (await isBack(sensorName)) continue;
          ours.push((await firstAnswer(server.child, () => isBack(sensorName), LIMIT_MS)) - killedAt);
          peer.push(await bareSpawn((module as Program).executable_path, scratchFolder));
        }
        states.end();
      } finally {
        await server.end();
      }
    }
    return [
      rowOf(
        {
          name: 'module, killed to answering',
          what: 'SIGKILL to a reading through the machine / bare spawn of the same program to its first answer',
          unit: 'ms',
          target: { kind: 'at most', value: 2 },
        },
        { ours, peer },
        { kills: ours.length },
      ),
    ];
  },
};
