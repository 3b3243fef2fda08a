import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition, Result_Outcome, type WatchResponse } from '../../proto/gen/core/config/v1/config.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const bench = await readFile(benchConfig, 'utf8');
/** The board does not start, and neither does anything on it. */
const broken = bench.replace('"fail_new": false', '"fail_new": true');

let server: ServerProcess;
let client: MachineClient;
let watching: ClientReadableStream<WatchResponse> | undefined;
/** The latest message of ConfigService/Watch. */
let state: WatchResponse | undefined;

async function connect(): Promise<void> {
  client = new MachineClient(server);
  watching = client.grpc.stream(ConfigServiceDefinition, 'watch', { partId: '' });
  watching.on('data', (next: WatchResponse) => (state = next));
  watching.on('error', () => undefined);
  await until('the present state', () => state !== undefined, 10_000);
}

function disconnect(): void {
  watching?.cancel();
  client.close();
  state = undefined;
}

beforeEach(async () => {
  expect(broken).not.toBe(bench);
  server = await startServer({ config: bench });
  await connect();
});

afterEach(async () => {
  disconnect();
  await server.stop();
  await rm(server.home, { recursive: true, force: true }); // one that was started again in it leaves it
});

async function apply(text: string, seconds: number): Promise<string> {
  const { outcome } = await client.grpc.call(ConfigServiceDefinition, 'apply', {
    partId: '',
    text,
    baseRevision: state?.revision ?? '',
    author: '',
    note: '',
    returnAfter: { seconds: BigInt(seconds), nanos: 0 },
  });
  if (outcome?.$case !== 'applied') throw new Error(`Apply was ${outcome?.$case}`);
  return outcome.value.revision;
}

const reach = (what: string, holds: (state: WatchResponse) => boolean): Promise<void> =>
  until(what, () => state !== undefined && holds(state), 15_000);
const stored = (): Promise<string> => readFile(server.configPath, 'utf8');
const trialRecords = async (): Promise<string[]> =>
  (await readdir(path.join(server.home, 'home', 'state'))).filter((name) => name.startsWith('trial-'));

describe('safe apply', () => {
  it('a board that does not start again brings back the configuration before, and all that ran with it', async () => {
    const revision = await apply(broken, 2);
    await reach('the trial', ({ result }) => result?.trial !== undefined);
    expect(state?.result?.trial?.awaited).toContain('core:component:board/bench');
    expect(await stored()).toBe(broken);
    await reach('the return', ({ result, revision: now, appliedRevision }) => {
      return result?.outcome === Result_Outcome.RETURNED && now === appliedRevision;
    });
    expect(state?.text).toBe(bench);
    expect(state?.result).toMatchObject({ revision, returnedText: broken });
    expect(state?.result?.message).toMatch(
      /^Rolled back to the previous configuration: .*not ready in 2 s: .*fail_new/,
    );
    expect(state?.result?.unready).toContain('core:component:board/bench');
    expect(await stored()).toBe(bench);
    // It runs again, and is not only stored again.
    await client.setGpio('40', true);
    expect(await client.gpio('40')).toBe(true);
    await until('the record is gone', async () => (await trialRecords()).length === 0, 5_000);
  });

  it('a motor that turns during the trial is stopped by the way back, which builds it again', async () => {
    const document = JSON.parse(bench) as { components: Record<string, unknown>[] };
    for (const entry of document.components) {
      if (entry['name'] === 'left')
        entry['attributes'] = { board: 'bench', pins: { pwm: '32', dir: '18' }, max_rpm: 100 };
      if (entry['name'] === 'climate') entry['depends_on'] = ['nothing-of-that-name'];
    }
    await apply(JSON.stringify(document), 3);
    await reach('the trial', ({ result }) => result?.trial?.awaited.join() === 'core:component:sensor/climate');
    await client.setPower('left', 0.5);
    expect(await client.isMoving('left')).toBe(true);
    await reach('the return', ({ result, revision, appliedRevision }) => {
      return result?.outcome === Result_Outcome.RETURNED && revision === appliedRevision;
    });
    expect(await client.power('left')).toBe(0);
    expect(await client.pwm('32')).toBe(0);
  });

  it.each([true, false])('a person may decide before the time is over: keep is %s', async (keep) => {
    const revision = await apply(broken, 600);
    await reach('the trial', ({ result }) => result?.trial !== undefined);
    const end = (): Promise<{ revision: string }> =>
      client.grpc.call(ConfigServiceDefinition, 'endTrial', { partId: '', revision, keep });
    await end();
    await reach('the end of the trial', ({ result }) => result?.trial === undefined);
    expect(await stored()).toBe(keep ? broken : bench);
    await expect(end()).rejects.toMatchObject({
      code: StatusCode.FAILED_PRECONDITION,
      details: expect.stringContaining(`Configuration ${revision} is not on trial`) as string,
    });
  });

  it('more than 10 minutes is refused by name', async () => {
    await expect(apply(broken, 601)).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      details: expect.stringContaining('return_after is 601 s') as string,
    });
    expect(await stored()).toBe(bench);
  });

  it('a server that is killed in the trial gives the time once more after its restart, and goes back', async () => {
    await apply(broken, 3);
    await reach('the trial', ({ result }) => result?.trial !== undefined);
    await server.crash();
    disconnect();
    expect(await stored()).toBe(broken);
    expect(await trialRecords()).toHaveLength(1);
    server = await startServer({ config: '', home: server.home });
    await connect();
    expect(state?.text).toBe(broken);
    await reach('the return', ({ result }) => result?.outcome === Result_Outcome.RETURNED);
    expect(state?.result?.returnedText).toBe(broken);
    expect(await stored()).toBe(bench);
  });

  it('a server that is killed again in its second trial starts with the configuration before', async () => {
    await apply(broken, 600);
    await reach('the trial', ({ result }) => result?.trial !== undefined);
    for (let times = 0; times < 2; times++) {
      await server.crash();
      disconnect();
      server = await startServer({ config: '', home: server.home });
      await connect();
    }
    expect(await stored()).toBe(bench);
    expect(state?.result).toMatchObject({ outcome: Result_Outcome.RETURNED, returnedText: broken });
    await until(
      'the board answers',
      () =>
        client.gpio('40').then(
          () => true,
          () => false,
        ),
      10_000,
    );
  });
});
