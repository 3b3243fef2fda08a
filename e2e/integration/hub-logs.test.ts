import { describe, expect, it, onTestFinished } from 'vitest';

import { Level, LogServiceDefinition, type Entry, type Filter } from '../../proto/gen/core/log/v1/log.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { numbered, writeLogLines } from '../harness/write-log-lines.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const everything: Filter = { levels: [], logger: '', resource: '', text: '', afterSeq: 0n, beforeSeq: 0n };

/** One machine of a fleet, and its log at the hub. */
class Logging {
  readonly partId: string;
  readonly client: MachineClient;
  readonly #fleet: Fleet;

  private constructor(fleet: Fleet, partId: string, server: ServerProcess) {
    this.#fleet = fleet;
    this.partId = partId;
    this.client = new MachineClient(server.url);
  }

  static async start(fleet: Fleet, partId: string): Promise<Logging> {
    const server = await startServer({ config: await fleet.configOf(partId) });
    const machine = new Logging(fleet, partId, server);
    onTestFinished(async () => {
      machine.client.close();
      await server.stop();
    });
    return machine;
  }

  /** All entries at the hub with this word, oldest first. */
  async atHub(filter: Partial<Filter>): Promise<Entry[]> {
    const entries: Entry[] = [];
    let pageToken = '';
    do {
      const request = { partId: this.partId, filter: { ...everything, ...filter }, limit: 1_000, pageToken };
      const page = await this.#fleet.call(LogServiceDefinition, 'query', { ...request, newestFirst: true });
      entries.push(...page.entries);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return entries.reverse();
  }
}

const FLOOD = 3_000;

describe('logs at the hub', () => {
  it('a machine that floods starves no other, and loses nothing itself, over a crash of the hub too', async () => {
    const fleet = await Fleet.start();
    const first = await fleet.partId();
    const { robots } = await fleet.owner.call('listRobotsForOrg', { orgId: fleet.organizationId });
    const { partId: second } = await fleet.owner.call('newRobotPart', {
      robotId: robots[0]?.id ?? '',
      partName: 'calm',
    });
    const flooding = await Logging.start(fleet, first);
    const calm = await Logging.start(fleet, second);

    const flood = writeLogLines(flooding.client, numbered('flood', FLOOD));
    await until('the flood has begun', async () => (await flooding.atHub({ text: 'flood ' })).length > 0, 20_000);
    await writeLogLines(calm.client, [{ message: 'a calm word', level: 'warn' }]);
    await until('the calm word is there', async () => (await calm.atHub({ text: 'a calm word' })).length === 1, 20_000);

    await fleet.hub.crash();
    await flood;
    await writeLogLines(calm.client, [{ message: 'said while it was away', level: 'info' }]);
    await fleet.restart();
    fleet.owner = await fleet.logIn();
    await until(
      'all is there',
      async () => (await flooding.atHub({ text: `flood ${FLOOD - 1}` })).length === 1,
      60_000,
    );
    const numbers = (await flooding.atHub({ text: 'flood ' })).map(({ message }) => Number(message.split(' ')[1]));
    expect(numbers).toEqual(Array.from({ length: FLOOD }, (_, index) => index));
    const away = async (): Promise<string[]> =>
      (await calm.atHub({ text: 'said while it was away' })).map(({ message }) => message);
    await until('what was said meanwhile is there', async () => (await away()).length === 1, 20_000);
  }, 150_000);

  it('are searched by level, logger, text and time', async () => {
    const fleet = await Fleet.start();
    const machine = await Logging.start(fleet, await fleet.partId());
    const begin = new Date();
    await writeLogLines(machine.client, [
      { message: 'the gear slips', level: 'warn' },
      { message: 'the gear turns', level: 'info' },
      { message: 'a wire is out', level: 'error' },
    ]);
    const found = async (filter: Partial<Filter>): Promise<string[]> =>
      (await machine.atHub({ logger: 'guest', ...filter })).map(({ message }) => message);
    await until('they are there', async () => (await found({})).length === 3, 20_000);
    expect(await found({ text: 'GEAR' })).toEqual(['the gear slips', 'the gear turns']);
    expect(await found({ levels: [Level.WARN, Level.ERROR] })).toEqual(['the gear slips', 'a wire is out']);
    expect(await found({ start: begin, end: new Date(Date.now() + 1_000) })).toHaveLength(3);
    expect(await found({ end: begin })).toEqual([]);
  });
});
