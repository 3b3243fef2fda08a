import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { LogServiceDefinition, type Entry, type Filter } from '../../proto/gen/core/log/v1/log.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { writeLogLines } from '../harness/write-log-lines.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const bench = await readFile(benchConfig, 'utf8');
const filter: Filter = { levels: [], logger: '', resource: '', text: '', afterSeq: 0n, beforeSeq: 0n };
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function serve(home: string): Promise<{ server: ServerProcess; client: MachineClient }> {
  const server = await startServer({ config: bench, home });
  const client = new MachineClient(server);
  endings.push(() => {
    client.close();
    return server.stop();
  });
  return { server, client };
}

/** Logs many messages, all different. */
function say(client: MachineClient, word: string, count: number): Promise<void> {
  return writeLogLines(
    client,
    Array.from({ length: count }, (_, index) => ({ message: `${word} ${index}`, level: 'info' as const })),
  );
}

async function everything(client: MachineClient, text: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let pageToken = '';
  do {
    const page = await client.grpc.call(LogServiceDefinition, 'query', {
      partId: '',
      filter: { ...filter, text },
      limit: 1_000,
      pageToken,
      newestFirst: true,
    });
    expect(page.unreadable).toEqual([]);
    entries.push(...page.entries);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return entries.reverse();
}

describe('the stored log of a machine', () => {
  it('is paged back over a kill and an orderly stop, and beyond what is kept in memory', async () => {
    const home = await temporaryFolder();
    const first = await serve(home);
    await say(first.client, 'before the kill', 10_200);
    // Answered from memory and disk together, so all of it is stored.
    expect(await everything(first.client, 'before the kill')).toHaveLength(10_200);
    await first.server.kill('SIGKILL');

    const second = await serve(home);
    await say(second.client, 'before the stop', 10);
    await second.server.stop();

    const third = await serve(home);
    await say(third.client, 'now', 10);
    const entries = await everything(third.client, '');
    const messages = entries.map(({ message }) => message);
    expect(messages.filter((message) => message.startsWith('before the kill'))).toEqual(
      Array.from({ length: 10_200 }, (_, index) => `before the kill ${index}`),
    );
    expect(messages.filter((message) => message.startsWith('before the stop'))).toHaveLength(10);
    expect(messages.filter((message) => message.startsWith('now'))).toHaveLength(10);
    const seqs = entries.map(({ seq }) => seq);
    expect(seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0n))).toBe(true);
  });

  it('says where the present begins, and gives a reader that was cut off what it missed and no more', async () => {
    const home = await temporaryFolder();
    const { client } = await serve(home);
    await say(client, 'seen', 3);
    const last = (await everything(client, 'seen')).at(-1);
    await say(client, 'missed', 3);
    const stream = client.grpc.stream(LogServiceDefinition, 'tail', {
      partId: '',
      filter: { ...filter, logger: 'guest', afterSeq: last?.seq ?? 0n },
      backlog: 100,
    });
    const told: string[] = [];
    let lastSeq = 0n;
    stream.on('error', () => undefined);
    stream.on('data', (answer: { entries: Entry[]; lastSeq: bigint }) => {
      if (answer.lastSeq > 0n) lastSeq = answer.lastSeq;
      told.push(...answer.entries.map(({ message }) => message));
    });
    await until('the backlog', () => told.length === 3, 5_000);
    await say(client, 'new', 2);
    await until('the present', () => told.length === 5, 5_000);
    stream.cancel();
    expect(told).toEqual(['missed 0', 'missed 1', 'missed 2', 'new 0', 'new 1']);
    expect(lastSeq).toBeGreaterThanOrEqual((last?.seq ?? 0n) + 3n);
  });

  it('a second program with the same configuration keeps its log in memory, and says so', async () => {
    const home = await temporaryFolder();
    await serve(home);
    const { server, client } = await serve(home);
    expect(server.stderr()).toMatch(/kept in memory only.*in use by process \d+/);
    await say(client, 'all the same', 2);
    expect(await everything(client, 'all the same')).toHaveLength(2);
  });
});
