import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition, Result_Outcome, Source } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { removeAfterTest } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const motor = (maxRpm: number): string =>
  JSON.stringify({
    components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake', attributes: { max_rpm: maxRpm } }],
  });

describe('a hub and a machine over TLS', () => {
  let fleet: Fleet;
  let partId = '';
  let server: ServerProcess | undefined;

  const get = () => fleet.call(ConfigServiceDefinition, 'get', { partId });
  const apply = async (text: string, note = '') =>
    fleet.call(ConfigServiceDefinition, 'apply', {
      partId,
      text,
      baseRevision: (await get()).revision,
      author: '',
      note,
    });
  const history = (text = '') =>
    fleet.call(ConfigServiceDefinition, 'history', {
      partId,
      limit: 0,
      pageToken: '',
      text,
      tagged: false,
      resource: '',
    });
  const isApplied = (text: string) => async (): Promise<boolean> => {
    const { text: stored, revision, appliedRevision } = await get();
    return stored === text && revision === appliedRevision;
  };

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    server = await startServer({ config: await fleet.configOf(partId) });
  });

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  it('a text is stored, in force, and in the history with who, what and how', async () => {
    expect((await apply(motor(60), 'first')).outcome?.$case).toBe('applied');
    expect((await apply(motor(70))).outcome).toMatchObject({
      $case: 'applied',
      value: { plan: { summary: 'left: max_rpm 60 to 70' } },
    });
    await until('it is in force', isApplied(motor(70)), 10_000);
    expect(await get()).toMatchObject({ source: Source.HUB, readOnly: false });
    await until(
      'its result is noted',
      async () => (await history()).versions[0]?.result?.outcome === Result_Outcome.APPLIED,
      10_000,
    );
    const { versions, total } = await history();
    expect(total).toBe(2n);
    expect(versions).toMatchObject([
      {
        number: 2n,
        author: 'owner',
        summary: 'left: max_rpm 60 to 70',
        subjects: ['core:component:motor/left'],
        base: 1n,
      },
      { number: 1n, author: 'owner', note: 'first', base: 0n },
    ]);
  });

  it('an earlier version is brought back, and the machine follows', async () => {
    await apply(motor(60));
    await apply(motor(70));
    await apply(motor(80));
    await until('the third is in force', isApplied(motor(80)), 10_000);
    const { result } = await fleet.call(ConfigServiceDefinition, 'restore', {
      partId,
      number: 1n,
      baseRevision: (await get()).revision,
      author: '',
      note: 'it was better',
    });
    expect(result?.outcome).toMatchObject({ $case: 'applied', value: { plan: { summary: 'left: max_rpm 80 to 60' } } });
    await until('the first is in force', isApplied(motor(60)), 10_000);
    expect((await history()).versions[0]).toMatchObject({ number: 4n, restoredFrom: 1n, base: 3n, author: 'owner' });
  });

  it('a text of UpdateRobotPart is pushed, as it was written', async () => {
    const text = `${motor(65)}\n\n`;
    await fleet.owner.call('updateRobotPart', { id: partId, name: '', robotConfig: undefined, robotConfigJson: text });
    await until('it is in force', isApplied(text), 10_000);
    await until('what it changed is known', async () => (await history('left')).total === 1n, 10_000);
  });

  it('while the machine is away a text is stored, and taken when it is back', async () => {
    await apply(motor(60));
    await until('the first is in force', isApplied(motor(60)), 10_000);
    const home = server?.home ?? '';
    removeAfterTest(home);
    await server?.crash();
    expect((await apply(motor(70))).outcome?.$case).toBe('applied');
    expect((await history()).versions[0]).toMatchObject({ summary: 'left: max_rpm 60 to 70', result: undefined });
    server = await startServer({ config: '', home });
    await until('the second is in force', isApplied(motor(70)), 10_000);
  });

  it('presence: who is there, what it is, and what it last said', async () => {
    await apply(motor(60));
    const read = async () => {
      const request = { scope: { partId, machineId: '', locationId: '', organizationId: '' }, brief: false };
      return (await fleet.call(PresenceServiceDefinition, 'list', request)).parts[0];
    };
    await until('its motor is told of', async () => (await read())?.status?.resources.length === 1, 10_000);
    expect(await read()).toMatchObject({ state: Presence_State.ONLINE, version: '0.1.0', platform: 'linux/amd64' });
    await server?.kill('SIGKILL');
    // Some seconds without a stream do not count as offline.
    expect(await read()).toMatchObject({ state: Presence_State.ONLINE });
    await until('it is away', async () => (await read())?.state === Presence_State.OFFLINE, 20_000);
    expect((await read())?.status?.resources).toMatchObject([{ name: 'core:component:motor/left' }]);
  });
});
