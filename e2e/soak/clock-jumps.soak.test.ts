import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { numbered, writeLogLines } from '../harness/write-log-lines.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { tell } from './figures.ts';
import { OtherClock, whyNoOtherClock } from './other-clock.ts';
import { textOf } from './saved-texts.ts';

const YEARS = 3_650;

describe.skipIf(whyNoOtherClock !== undefined)(`a clock that is wrong (${whyNoOtherClock ?? 'one of its own'})`, () => {
  let fleet: Fleet;
  let partId = '';
  let server: ServerProcess | undefined;
  let machine: MachineClient | undefined;

  const get = () => fleet.call(ConfigServiceDefinition, 'get', { partId });
  const save = async (number: number): Promise<void> => {
    const { revision } = await get();
    const request = { partId, text: textOf(number), baseRevision: revision, author: '', note: '' };
    const { outcome } = await fleet.call(ConfigServiceDefinition, 'apply', request);
    expect(outcome?.$case).toBe('applied');
  };
  const runs = (number: number) => async (): Promise<boolean> => {
    const { text, revision, appliedRevision } = await get();
    return text === textOf(number) && revision === appliedRevision;
  };
  const state = async (): Promise<Presence_State | undefined> => {
    const scope = { partId, machineId: '', locationId: '', organizationId: '' };
    return (await fleet.call(PresenceServiceDefinition, 'list', { scope, brief: true })).parts[0]?.state;
  };
  const logged = async (text: string): Promise<number> => {
    const filter = { levels: [], logger: '', resource: '', text, afterSeq: 0n, beforeSeq: 0n };
    const request = { partId, filter, limit: 1_000, pageToken: '', newestFirst: false };
    return (await fleet.call(LogServiceDefinition, 'query', request)).entries.length;
  };

  beforeEach(() => {
    [server, machine] = [undefined, undefined];
  });
  afterEach(async () => {
    machine?.close();
    await server?.stop();
  });

  it('of the hub, ahead by ten years and back: versions keep their order, tokens, presence and logs their worth', async () => {
    const clock = await OtherClock.make(0);
    fleet = await Fleet.start([], { data: (await temporaryFolder()) + '/data', through: clock.through });
    partId = await fleet.partId();
    server = await startServer({ config: await fleet.configOf(partId) });
    machine = new MachineClient(server);
    await save(1);
    await writeLogLines(machine, numbered('before', 50));
    await until('the log is there', async () => (await logged('before')) === 50, 10_000);
    await until('the machine has it', runs(1), 10_000);

    await clock.set(YEARS);
    // The owner's token has expired by this clock: the hub says so, and a new token is accepted.
    await expect(get()).rejects.toMatchObject({ code: 16, details: expect.stringContaining('expired') as string });
    fleet.owner.close();
    fleet.owner = await fleet.logIn();
    await save(2);
    await until('the machine has it', runs(2), 15_000);
    expect(await state()).toBe(Presence_State.ONLINE);

    await clock.set(0);
    await save(3);
    await until('the machine has it', runs(3), 15_000);
    expect(await state()).toBe(Presence_State.ONLINE);
    const request = { partId, limit: 0, pageToken: '', text: '', tagged: false, resource: '' };
    const { versions } = await fleet.call(ConfigServiceDefinition, 'history', request);
    expect(versions.map(({ number }) => Number(number))).toEqual([3, 2, 1]);
    expect(await logged('before')).toBe(50);
    await server.crash();
    await until('it is away after its ten seconds', async () => (await state()) === Presence_State.OFFLINE, 20_000);
  });

  it.each([
    ['ahead by ten years', YEARS],
    ['back by ten years', -YEARS],
  ])(
    'of the hub, %s at its first start: machines say that a clock is wrong, and are in when it is right',
    async (_name, days) => {
      const clock = await OtherClock.make(days);
      const data = (await temporaryFolder()) + '/data';
      // A client with the right clock does not trust its certificate either.
      fleet = await Fleet.start(['--no-tls'], { data, through: clock.through });
      partId = await fleet.partId();
      const secretConfig = await fleet.configOf(partId);
      await fleet.hub.stop();
      await fleet.restart(clock.through);
      server = await startServer({ config: secretConfig.replace('http:', 'https:') });
      await until('it says so', () => /The clock of this computer says 20/.test(server?.stderr() ?? ''), 15_000);
      const startedAt = performance.now();
      await clock.set(0);
      fleet.owner.close();
      await until('the machine is in', () => /connected to the hub/.test(server?.stderr() ?? ''), 60_000);
      tell(
        `hub ${_name} at its first start: the machine was in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after its clock was right`,
      );
    },
  );

  it.each([
    ['ahead by ten years', YEARS],
    ['back by ten years', -YEARS],
  ])(
    'of the machine, %s at its start: it says that its clock is wrong, and is in when it is right',
    async (_name, days) => {
      fleet = await Fleet.start();
      partId = await fleet.partId();
      const clock = await OtherClock.make(days);
      server = await startServer({ config: await fleet.configOf(partId), through: clock.through });
      machine = new MachineClient(server);
      await until('it says so', () => /The clock of this computer says 20/.test(server?.stderr() ?? ''), 15_000);
      await writeLogLines(machine, numbered('said early', 20));
      await clock.set(0);
      await until('the machine is in', async () => (await state()) === Presence_State.ONLINE, 30_000);
      await save(1);
      await until('the machine has it', runs(1), 15_000);
      // The lines that it wrote while its clock was wrong have arrived too, and stay.
      await until('its log is there', async () => (await logged('said early')) === 20, 15_000);
      // A jump of the clock in normal operation disturbs nothing.
      await clock.set(days);
      await save(2);
      await until('the machine has it', runs(2), 15_000);
      expect(await state()).toBe(Presence_State.ONLINE);
    },
  );
});
