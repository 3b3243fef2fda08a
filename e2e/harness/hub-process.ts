import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { AppServiceDefinition, type Authorization } from '../../proto/gen/core/app/v1/app.ts';
import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import type { RequestOf, ResponseOf } from '../../src-main/rpc/service.ts';
import { GrpcClient } from './grpc-client.ts';
import { startHubPair, testCluster } from './hub-pair.ts';
import { armature } from './server-process.ts';

export interface OwnerKey {
  readonly id: string;
  readonly secret: string;
}

export interface HubProcess {
  readonly process: ChildProcess;
  /** `https://localhost:PORT`, from the line `serving on <url>`. */
  readonly url: string;
  /** From the output of a first start. */
  readonly organizationId: string | undefined;
  readonly ownerKey: OwnerKey | undefined;
  readonly fingerprint: string | undefined;
  readonly data: string;
  /** Arguments that tell a command of `armature hub` where this hub's data is. */
  readonly place: readonly string[];
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Ends it with SIGTERM and returns its exit code; its data stays. */
  stop(): Promise<number | null>;
  /** Ends it with SIGKILL; its data stays. */
  crash(): Promise<void>;
}

export interface HubProcessOptions {
  /** Folder of the hub; whoever chooses it removes it. */
  readonly data: string;
  readonly args?: readonly string[];
  /** A program with arguments that runs the hub by exec: `nsenter` for a small disk, `env` for another clock. */
  readonly through?: readonly string[];
}

/** A folder for a hub's data, which does not exist yet, and a function that removes it. */
export async function hubFolder(): Promise<{ readonly data: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-hub-'));
  return { data: path.join(folder, 'data'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Starts the built hub on a free port and waits until it serves. Rejects with its output if it ends before. With
 * `npm run test:cluster`, two hubs start instead, which serve one database behind one address.
 */
export function startHub(options: HubProcessOptions): Promise<HubProcess> {
  return testCluster === undefined ? startOneHub(options) : startHubPair(options, testCluster);
}

/** Does the same, but always starts one hub. */
export async function startOneHub({ data, args = [], through = [] }: HubProcessOptions): Promise<HubProcess> {
  const [program = process.execPath, ...before] = [...through, process.execPath];
  const child = spawn(program, [...before, ...armature, 'hub', '--data', data, '--bind', 'localhost:0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  let printed = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('serving on ')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the hub exited with ${code} before it served:\n${errors}`)));
  });
  const printedValue = (what: string): string | undefined => new RegExp(`^${what} (\\S+)$`, 'm').exec(printed)?.[1];
  const [id, secret] = [printedValue('owner key id'), printedValue('owner key')];
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return closed;
  };
  return {
    process: child,
    url: printedValue('serving on') ?? '',
    organizationId: printedValue('organization'),
    ownerKey: id === undefined || secret === undefined ? undefined : { id, secret },
    fingerprint: printedValue('fingerprint'),
    data,
    place: ['--data', data],
    stdout: () => printed,
    stderr: () => errors,
    stop: () => end('SIGTERM'),
    crash: async () => void (await end('SIGKILL')),
  };
}

type Methods = (typeof AppServiceDefinition)['methods'];

/**
 * The role of a key, as AppService/CreateKey takes it.
 * @param role `organization_operator`, `location_owner` and so on
 * @param resourceId what the role is for; by default the organization
 */
export function roleAt(role: string, organizationId: string, resourceId = organizationId): Authorization {
  return {
    authorizationType: 'role',
    authorizationId: role,
    resourceType: role.split('_')[0] ?? '',
    resourceId,
    identityId: '',
    organizationId,
    identityType: '',
  };
}

/** A program that calls a hub with a key. */
export class HubClient {
  readonly grpc: GrpcClient;
  readonly token: string;

  readonly keyId: string;

  constructor(grpc: GrpcClient, token: string, keyId = '') {
    this.grpc = grpc;
    this.keyId = keyId;
    this.token = token;
  }

  static async logIn(url: string, key: OwnerKey, authority?: string, type = 'api-key'): Promise<HubClient> {
    const grpc = new GrpcClient(url, {}, authority);
    try {
      const { accessToken } = await grpc.call(AuthServiceDefinition, 'authenticate', {
        entity: key.id,
        credentials: { type, payload: key.secret },
      });
      return new HubClient(grpc, accessToken, key.id);
    } catch (thrown) {
      grpc.close();
      throw thrown;
    }
  }

  /** Calls AppService. Rejects with the ServiceError of grpc-js. */
  call<K extends keyof Methods>(method: K, request: RequestOf<Methods[K]>): Promise<ResponseOf<Methods[K]>> {
    return this.grpc.call(AppServiceDefinition, method, request, {
      headers: { authorization: `Bearer ${this.token}` },
    });
  }

  close(): void {
    this.grpc.close();
  }
}
