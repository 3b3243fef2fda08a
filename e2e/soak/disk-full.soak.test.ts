import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { startHub } from '../harness/hub-process.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { numbered, writeLogLines } from '../harness/write-log-lines.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { tell } from './figures.ts';
import { textOf } from './saved-texts.ts';
import { fill, makeSmallDisk, whyNoSmallDisk, type SmallDisk } from './small-disk.ts';

describe.skipIf(whyNoSmallDisk !== undefined)(`a full disk (${whyNoSmallDisk ?? 'a small one in memory'})`, () => {
  let disk: SmallDisk;
  let fleet: Fleet;
  let partId = '';
  let server: ServerProcess | undefined;
  let machine: MachineClient | undefined;

  const get = () => fleet.call(ConfigServiceDefinition, 'get', { partId });
  const own = () => (machine as MachineClient).grpc.call(ConfigServiceDefinition, 'get', { partId: '' });
  const save = async (number: number) => {
    const { revision } = await get();
    const request = { partId, text: textOf(number), baseRevision: revision, author: '', note: '' };
    return fleet.call(ConfigServiceDefinition, 'apply', request);
  };
  const runs = (number: number) => async (): Promise<boolean> => {
    const { text, revision, appliedRevision } = await own();
    return text === textOf(number) && revision === appliedRevision;
  };
  const messages = async (text: string): Promise<string[]> => {
    const filter = { levels: [], logger: '', resource: '', text, afterSeq: 0n, beforeSeq: 0n };
    const request = { partId, filter, limit: 1_000, pageToken: '', newestFirst: false };
    return (await fleet.call(LogServiceDefinition, 'query', request)).entries.map(({ message }) => message);
  };

  beforeEach(async () => {
    disk = await makeSmallDisk(24);
  });

  afterEach(async () => {
    machine?.close();
    await server?.stop();
    [machine, server] = [undefined, undefined];
    await fleet.hub.stop();
    await disk.remove();
  });

  it('of the hub: a save is refused by name, logs wait at the machine, nothing is lost, it goes on when there is room', async () => {
    const place = { data: path.join(disk.folder, 'data'), through: disk.through };
    fleet = await Fleet.start([], place);
    partId = await fleet.partId();
    server = await startServer({ config: await fleet.configOf(partId) });
    machine = new MachineClient(server);
    for (let number = 1; number <= 5; number++) await save(number);
    await until('the machine has it', runs(5), 10_000);

    const makeRoom = await fill(disk);
    const full = { code: 8, details: expect.stringMatching(/disk of the hub is full.*free some space/) as string };
    for (let attempt = 0; attempt < 20; attempt++) await expect(save(6)).rejects.toMatchObject(full);
    expect((await get()).text).toBe(textOf(5));
    await writeLogLines(machine, numbered('while it is full', 300));
    await until(
      'the machine says that the log waits',
      () => /does not take the log/.test(server?.stderr() ?? ''),
      15_000,
    );
    // None of this may change the configuration that the machine runs.
    expect(await runs(5)()).toBe(true);

    // Crashed, and started again with no free space at all: it reports the problem, or serves what it has.
    await fleet.hub.crash();
    const { port } = fleet;
    const again = await startHub({ ...place, args: ['--bind', `localhost:${port}`] }).catch(
      (thrown: unknown) => thrown,
    );
    const isServing = !(again instanceof Error);
    if (isServing) fleet.hub = again as typeof fleet.hub;
    else expect(again.message).toMatch(/disk is full|full and nothing was stored/);
    await makeRoom();
    if (!isServing) fleet.hub = await startHub({ ...place, args: ['--bind', `localhost:${port}`] });
    fleet.owner.close();
    fleet.owner = await fleet.logIn();
    expect((await get()).text).toBe(textOf(5));
    expect((await save(6)).outcome?.$case).toBe('applied');
    await until('the machine has what was saved then', runs(6), 25_000);
    await until('every line is there', async () => (await messages('while it is full')).length === 300, 25_000);
    const { versions } = await fleet.call(ConfigServiceDefinition, 'history', {
      partId,
      limit: 0,
      pageToken: '',
      text: '',
      tagged: false,
      resource: '',
    });
    expect(versions.map(({ number }) => Number(number))).toEqual([6, 5, 4, 3, 2, 1]);
    tell(
      `disk of the hub full: 20 of 20 saves refused by name; started without room: ${isServing ? 'serves' : 'says why it cannot'}`,
    );
  });

  it('of the machine: it runs what the hub sends, says that it is not kept, and its log goes to the hub all the same', async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    const options = { config: await fleet.configOf(partId), home: disk.outside, through: disk.through };
    server = await startServer({ ...options, inside: disk.folder });
    machine = new MachineClient(server);
    await save(1);
    await until('the machine has it', runs(1), 10_000);

    const makeRoom = await fill(disk);
    expect((await save(2)).outcome?.$case).toBe('applied');
    await until('the machine has it', runs(2), 10_000);
    await until('it says so', () => /configuration of the hub is not kept/.test(server?.stderr() ?? ''), 10_000);
    await writeLogLines(machine, numbered('without room', 200));
    await until('the hub has its log', async () => (await messages('without room')).length === 200, 15_000);
    expect((await messages('is not kept')).length).toBeGreaterThan(0);

    // Killed now, it starts with the last configuration that it could store, complete, and asks the hub for the newest.
    await server.crash();
    machine.close();
    server = await startServer({ ...options, inside: disk.folder });
    machine = new MachineClient(server);
    await until('the machine has the newest', runs(2), 15_000);
    await makeRoom();
    await save(3);
    await until('the machine has what was saved then', runs(3), 15_000);
    await fleet.hub.stop();
    await server.stop();
    machine.close();
    server = await startServer({ ...options, inside: disk.folder });
    machine = new MachineClient(server);
    await until('it was kept', runs(3), 15_000);
  });
});
