import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import { authenticate, withApiKey } from '../harness/api-key.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { HubClient, hubFolder, startHub, type HubProcess } from '../harness/hub-process.ts';
import { benchConfig, runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { spread, tell } from './figures.ts';
import { floods, type Flood } from './flood-process.ts';

/** For a computer of 512 MB: V8's heap limit, and the most memory that the program may hold. */
const HEAP_MEBIBYTES = 256;
const MAX_MEBIBYTES = 400;
const FLOOD_MS = 8_000;
/** With the flood on the same two cores. */
const LONGEST_ANSWER_MS = 5_000;

function residentMebibytes(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** One call over a new connection. */
function isLive(url: string): Promise<boolean> {
  const { get } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const asked = get(`${url}/healthz/live`, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode === 200));
    });
    asked.setTimeout(LONGEST_ANSWER_MS, () => asked.destroy(new Error(`no answer in ${LONGEST_ANSWER_MS} ms`)));
    asked.once('error', reject);
  });
}

const isTrue = (): boolean => true;

interface Target {
  readonly url: string;
  readonly pid: number | undefined;
  /** Logs in with the key, over a new connection. */
  readonly logIn: () => Promise<void>;
  /** gRPC's own health check, over a new connection. */
  readonly check: () => Promise<void>;
}

async function underFlood(kind: Flood['kind'], { url, pid, logIn, check }: Target): Promise<void> {
  const before = residentMebibytes(pid);
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'flood-process.ts'), JSON.stringify({ kind, url })],
    { stdio: ['pipe', 'pipe', 'inherit'], timeout: FLOOD_MS + 60_000 },
  );
  const ended = once(child, 'close');
  const answers: number[] = [];
  let tries = 0;
  let most = before;
  try {
    await once(child.stdout, 'data');
    const watching = setInterval(() => (most = Math.max(most, residentMebibytes(pid))), 50);
    try {
      for (const end = performance.now() + FLOOD_MS; performance.now() < end;) {
        for (const ask of [() => isLive(url), check, logIn]) {
          const startedAt = performance.now();
          // Among the many connections that the hub closes to make room for others may be this one, which then retries.
          await until('an answer', () => ask().then(isTrue, () => tries++ < 0), LONGEST_ANSWER_MS);
          answers.push(performance.now() - startedAt);
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } finally {
      clearInterval(watching);
    }
  } finally {
    child.stdin.end();
    await ended;
    const memory = `${before.toFixed(0)} MiB before, at most ${most.toFixed(0)} MiB`;
    tell(`${kind}: ${memory}; answers: ${spread(answers)}, ${tries} asked again`);
  }
  expect(most).toBeLessThan(MAX_MEBIBYTES);
  expect(Math.max(...answers)).toBeLessThan(LONGEST_ANSWER_MS);
  await until('it is live', () => isLive(url), LONGEST_ANSWER_MS);
}

describe('a machine of 512 MB with an auth block, flooded by who can prove nothing', () => {
  let server: ServerProcess;
  let target: Target;

  beforeAll(async () => {
    server = await startServer({
      config: withApiKey(readFileSync(benchConfig, 'utf8')),
      environment: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MEBIBYTES}` },
    });
    const over = async (use: (client: GrpcClient) => Promise<unknown>): Promise<void> => {
      const client = new GrpcClient(server.url);
      try {
        await use(client);
      } finally {
        client.close();
      }
    };
    target = {
      url: server.url,
      pid: server.process.pid,
      logIn: () => over((client) => authenticate(client)),
      check: () => over((client) => client.call(HealthDefinition, 'check', { service: '' })),
    };
  });
  afterAll(async () => void (await server.stop()));

  it.each(floods)('holds little and answers its owner: %s', (kind) => underFlood(kind, target));
});

describe('a hub of 512 MB, flooded by who can prove nothing', () => {
  let hub: HubProcess;
  let target: Target;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const folder = await hubFolder();
    remove = folder.remove;
    hub = await startHub({
      data: folder.data,
      through: ['env', `NODE_OPTIONS=--max-old-space-size=${HEAP_MEBIBYTES}`],
    });
    const { ownerKey } = hub;
    if (ownerKey === undefined) throw new Error('the hub said no owner key');
    const authority = (await runArmature(['hub', 'ca', '--data', hub.data])).stdout;
    target = {
      url: hub.url,
      pid: hub.process.pid,
      logIn: async () => (await HubClient.logIn(hub.url, ownerKey, authority)).close(),
      check: async () => {
        const client = new GrpcClient(hub.url, {}, authority);
        await client.call(HealthDefinition, 'check', { service: '' }).finally(() => client.close());
      },
    };
  });
  afterAll(async () => {
    await hub.stop();
    await remove();
  });

  it.each(floods)('holds little and answers its owner: %s', (kind) => underFlood(kind, target));
});
