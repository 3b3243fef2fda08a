import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { IsMovingRequest } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';
import { isAnswered } from '../rpc/one-call.ts';
import { firstAnswer } from './first-answer.ts';
import { armature } from '../../harness/server-process.ts';
import { freePort } from '../../../src-main/rpc/port/free-port.ts';

const START_LIMIT_MS = 30_000;

/** Path of the measured method, in the spelling of clients of the public ecosystem. */
export const isMovingPath = '/viam.component.motor.v1.MotorService/IsMoving';

/** The measured request: whether the motor `left` of the bench moves. */
export const isMovingMessage: readonly number[] = [...IsMovingRequest.encode({ name: 'left' }).finish()];

/** The built server in a separate process, as `armature server` runs it. */
export interface ArmatureServer {
  readonly child: ChildProcess;
  readonly port: number;
  readonly url: string;
  /** The launch token: calls that show or change the configuration need it. */
  readonly token: string;
  readonly configPath: string;
  /** `performance.now()` just before it was started. */
  readonly startedAt: number;
  end(): Promise<void>;
}

/**
 * Starts the built server with the configuration that `config` makes for its port. Does not wait for it.
 * @param environment added to its environment
 */
export async function startArmature(
  scratch: string,
  config: (port: number) => string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ArmatureServer> {
  const port = await freePort();
  const folder = await mkdtemp(path.join(scratch, 'armature-'));
  const configPath = path.join(folder, 'machine.json');
  await writeFile(configPath, config(port));
  const home = path.join(folder, 'home');
  await mkdir(home);
  const token = randomBytes(32).toString('base64url');
  const startedAt = performance.now();
  const child = spawnNode([...armature, 'server', '-config', configPath], {
    cpu: SERVER_CPU,
    environment: { ...environment, SVC_HOME: home, SVC_LAUNCH_TOKEN: token },
    hasChannel: false,
  });
  const url = `http://127.0.0.1:${port}`;
  return { child, port, url, token, configPath, startedAt, end: () => endProcess(child) };
}

async function msTo(
  { child, port, startedAt }: ArmatureServer,
  path: string,
  message: readonly number[],
): Promise<number> {
  return (await firstAnswer(child, () => isAnswered(port, path, message), START_LIMIT_MS)) - startedAt;
}

/** Milliseconds from start to the first answered RobotService/GetVersion. */
export function msToVersion(server: ArmatureServer): Promise<number> {
  return msTo(server, '/viam.robot.v1.RobotService/GetVersion', []);
}

/** Milliseconds from start to the first IsMoving answered by the motor `left` itself. */
export function msToMotor(server: ArmatureServer): Promise<number> {
  return msTo(server, isMovingPath, isMovingMessage);
}
