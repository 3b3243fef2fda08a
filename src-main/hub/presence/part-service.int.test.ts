import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OnlineState } from '../../../proto/gen/core/app/v1/app.ts';
import { ConfigServiceDefinition, Result_Outcome } from '../../../proto/gen/core/config/v1/config.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { Presence_State, PresenceServiceDefinition } from '../../../proto/gen/core/hub/v1/presence.ts';
import { ManualClock } from '../../base/clock.ts';
import { revisionOf } from '../../base/revision.ts';
import { StatusCode } from '../../base/status.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { FakePart } from '../testing/fake-part.ts';
import { TestHub, type AppCall } from '../testing/test-hub.ts';

const textOf = (rpm: number): string => JSON.stringify({ components: [{ name: 'a', attributes: { max_rpm: rpm } }] });

describe.each(testStores)('parts of a hub on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;
  let ownerToken = '';
  let partId = '';
  let secretId = '';
  let token = '';

  const connect = async (hello: Parameters<typeof FakePart.connect>[2] = { partId }): Promise<FakePart> => {
    const part = FakePart.connect(test, token, hello);
    await part.until(() => part.accepted.length > 0 || part.status !== undefined);
    return part;
  };
  const update = (text: string) => owner('updateRobotPart', { id: partId, robotConfigJson: text });
  const config = <K extends keyof (typeof ConfigServiceDefinition)['methods']>(
    method: K,
    request: Parameters<typeof test.call<typeof ConfigServiceDefinition, K>>[2],
  ) => test.call(ConfigServiceDefinition, method, request, { token: ownerToken });
  const presence = async () => {
    const request = { scope: { partId, machineId: '', locationId: '', organizationId: '' }, brief: false };
    return (await test.call(PresenceServiceDefinition, 'list', request, { token: ownerToken })).parts[0];
  };

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    test = await TestHub.open(kind, clock);
    await logIn();
  });
  afterEach(() => test.end());

  async function logIn(): Promise<void> {
    const { ownerKey, machineId } = test.first;
    owner = await test.asOwner();
    ownerToken = await test.logIn(ownerKey);
    const { parts } = await owner('getRobotParts', { robotId: machineId });
    partId = parts[0]?.id ?? '';
    const { part } = await owner('createRobotPartSecret', { partId });
    const secret = part?.secrets.at(-1);
    secretId = secret?.id ?? '';
    token = await test.logIn({ id: partId, secret: secret?.secret ?? '', type: 'robot-secret' });
  }

  it('a part gets its identity, then its configuration, then each new one', async () => {
    await update(textOf(1));
    const part = await connect();
    await part.until(() => part.configs.length === 1);
    expect(part.messages.map(({ $case }) => $case)).toEqual(['accepted', 'config']);
    expect(part.accepted[0]).toMatchObject({
      organizationId: test.first.organizationId,
      machineName: 'bench',
      partName: expect.any(String) as string,
      revision: revisionOf(textOf(1)),
      fqdn: expect.stringMatching(/^bench\.[a-z0-9]+\.armature\.local$/) as string,
      keys: [{ id: test.first.ownerKey.id }],
    });
    await update(textOf(2));
    await part.until(() => part.configs.length === 2);
    expect(part.configs[1]).toMatchObject({ text: textOf(2), number: 2n, revision: revisionOf(textOf(2)) });
  });

  it('is online in the app API while it is connected, and offline after that', async () => {
    const states = async () => {
      const { robots } = await owner('listRobots', { locationId: test.first.locationId });
      const { part } = await owner('getRobotPart', { id: partId });
      return [robots[0], part].map((one) => [one?.onlineState, one?.secondsSinceOnline, one?.lastAccess]);
    };
    expect(await states()).toEqual([
      [OnlineState.AWAITING_SETUP, 0n, undefined],
      [OnlineState.AWAITING_SETUP, 0n, undefined],
    ]);
    const part = await connect();
    const last = new Date(clock.now());
    expect(await states()).toEqual([
      [OnlineState.ONLINE, 0n, last],
      [OnlineState.ONLINE, 0n, last],
    ]);
    part.leave();
    await part.until(() => part.status !== undefined);
    clock.advance(10_000);
    clock.advance(80_000);
    expect(await states()).toEqual([
      [OnlineState.OFFLINE, 90n, last],
      [OnlineState.OFFLINE, 90n, last],
    ]);
  });

  it('gets no configuration that it has already, and none if a file owns its configuration', async () => {
    await update(textOf(1));
    const has = await connect({ partId, revision: revisionOf(textOf(1)) });
    has.leave();
    const owns = await connect({ partId, ownsConfig: true });
    await update(textOf(2));
    // A later message proves that nothing came before it.
    await owner('createKey', { name: 'k', authorizations: [authorization()] });
    clock.advance(1_000);
    await owns.until(() => owns.accepted.length === 2);
    expect([has.configs, owns.configs]).toEqual([[], []]);
  });

  it('a part that did not read gets only the newest configuration', async () => {
    const part = await connect();
    let read: () => void = () => undefined;
    part.pressure = new Promise((resolve) => (read = resolve));
    for (let rpm = 1; rpm <= 5; rpm++) await update(textOf(rpm));
    part.pressure = undefined;
    read();
    await part.until(() => part.configs.at(-1)?.text === textOf(5));
    // One had been sent when the part stopped reading.
    expect(part.configs.length).toBeLessThanOrEqual(2);
  });

  it('a second stream of a part ends the first', async () => {
    const first = await connect();
    const second = await connect();
    await first.until(() => first.status !== undefined);
    expect(first.status).toMatchObject({
      code: StatusCode.ABORTED,
      message: expect.stringContaining('replaced this one') as string,
    });
    await update(textOf(1));
    await second.until(() => second.configs.length === 1);
    expect(await presence()).toMatchObject({ state: Presence_State.ONLINE });
  });

  it('a part that connects too often has to wait, and others do not', async () => {
    const statuses: (number | undefined)[] = [];
    for (let count = 0; count < 30; count++) {
      const part = await connect();
      statuses.push(part.status?.code);
      part.leave();
    }
    expect(statuses.filter((code) => code === undefined)).toHaveLength(10);
    expect(statuses.slice(10)).toEqual(Array(20).fill(StatusCode.RESOURCE_EXHAUSTED));
    const { partId: other } = await owner('newRobotPart', { robotId: test.first.machineId, partName: 'other' });
    const { part } = await owner('createRobotPartSecret', { partId: other });
    const login = { id: other, secret: part?.secrets.at(-1)?.secret ?? '', type: 'robot-secret' };
    const calm = FakePart.connect(test, await test.logIn(login), { partId: other });
    await calm.until(() => calm.accepted.length > 0);
    clock.advance(2_000);
    expect((await connect()).status).toBeUndefined();
  });

  it('attempts of others to connect as a part do not count against it', async () => {
    const elsewhere = await owner('createLocation', { organizationId: test.first.organizationId, name: 'Elsewhere' });
    const resource = { resourceType: 'location', resourceId: elsewhere.location?.id ?? '' };
    const { id, key } = await owner('createKey', {
      name: 'k',
      authorizations: [
        {
          authorizationType: 'role',
          authorizationId: 'location_owner',
          organizationId: test.first.organizationId,
          identityId: '',
          identityType: '',
          ...resource,
        },
      ],
    });
    const stranger = await test.logIn({ id, secret: key });
    const codes: (number | undefined)[] = [];
    for (let count = 0; count < 15; count++) {
      const attempt = FakePart.connect(test, stranger, { partId });
      await attempt.until(() => attempt.status !== undefined);
      codes.push(attempt.status?.code);
    }
    expect(codes.slice(0, 10)).toEqual(Array(10).fill(StatusCode.NOT_FOUND));
    expect(codes.slice(10)).toEqual(Array(5).fill(StatusCode.RESOURCE_EXHAUSTED));
    expect((await connect()).status).toBeUndefined();
  });

  it('may only connect as itself, and only as long as its secret is valid', async () => {
    const { partId: other } = await owner('newRobotPart', { robotId: test.first.machineId, partName: 'other' });
    // The hub does not reveal what a key has no role for.
    expect((await connect({ partId: other })).status).toMatchObject({ code: StatusCode.NOT_FOUND });
    for (const method of ['getConfig', 'uploadLogs'] as const) {
      const request = { partId: other } as never;
      await expect(test.call(PartServiceDefinition, method, request, { token })).rejects.toMatchObject({
        code: StatusCode.NOT_FOUND,
      });
    }
    const part = await connect();
    await owner('deleteRobotPartSecret', { partId, secretId });
    await part.until(() => part.status !== undefined);
    expect(part.status).toMatchObject({ code: StatusCode.UNAUTHENTICATED });
    expect((await connect()).status).toMatchObject({ code: StatusCode.UNAUTHENTICATED });
  });

  it('gets keys when they are created and revoked', async () => {
    const part = await connect();
    const { id } = await owner('createKey', { name: 'k', authorizations: [authorization()] });
    clock.advance(1_000);
    await part.until(() => part.accepted.length === 2);
    expect(part.accepted[1]?.keys.map((key) => key.id).sort()).toEqual([test.first.ownerKey.id, id].sort());
    expect(part.accepted[1]?.keys[0]?.digest).toHaveLength(32);
    await owner('deleteKey', { id });
    clock.advance(1_000);
    await part.until(() => part.accepted.length === 3);
    expect(part.accepted[2]?.keys.map((key) => key.id)).toEqual([test.first.ownerKey.id]);
  });

  describe('presence', () => {
    it('is online at once, and offline only after some seconds without a stream', async () => {
      expect(await presence()).toMatchObject({ state: Presence_State.AWAITING_SETUP, lastSeen: undefined });
      const first = await connect();
      const since = (await presence())?.onlineSince;
      expect(await presence()).toMatchObject({ state: Presence_State.ONLINE, version: '1', host: 'bench' });
      first.leave();
      clock.advance(9_000);
      expect(await presence()).toMatchObject({ state: Presence_State.ONLINE });
      const second = await connect();
      expect((await presence())?.onlineSince).toEqual(since);
      clock.advance(60_000);
      second.leave();
      await second.until(() => second.status !== undefined);
      const leftAt = clock.now();
      clock.advance(10_000);
      expect(await presence()).toMatchObject({ state: Presence_State.OFFLINE, lastSeen: new Date(leftAt) });
    });

    it('the last status of a part is shown while it is offline, also after a restart of the hub', async () => {
      const part = await connect();
      part.report('running');
      await settled(async () => (await presence())?.status?.state === 'running');
      const { place } = test;
      await test.close();
      test = await TestHub.open(kind, clock, place);
      // It may just be reconnecting.
      clock.advance(59_000);
      expect(await here()).toMatchObject({ state: Presence_State.ONLINE, status: { state: 'running' } });
      clock.advance(1_000);
      expect(await here()).toMatchObject({ state: Presence_State.OFFLINE, status: { state: 'running' } });

      async function here() {
        const request = { scope: { partId, machineId: '', locationId: '', organizationId: '' }, brief: false };
        return (await test.call(PresenceServiceDefinition, 'list', request, { token: ownerToken })).parts[0];
      }
    });
  });

  describe('a text for a part', () => {
    it('that is online is decided by the part: it stores the text, and the history names the caller', async () => {
      const part = await connect();
      part.serve(
        {
          async apply({ text, baseRevision, author }) {
            const request = { partId, text, baseRevision, author, note: 'by way of the part', summary: 'said' };
            await test.call(PartServiceDefinition, 'storeConfig', request, { token });
            const value = { revision: revisionOf(text), plan: undefined };
            return { outcome: { $case: 'applied', value } };
          },
        },
        clock,
      );
      const { outcome } = await config('apply', { partId, text: textOf(1), baseRevision: '' });
      expect(outcome).toMatchObject({ $case: 'applied' });
      const { versions } = await config('history', { partId });
      expect(versions).toMatchObject([{ author: 'owner', summary: 'said', note: 'by way of the part' }]);
      const { history } = await owner('getRobotPartHistory', { id: partId });
      expect(history[0]?.editedBy?.value).toBe(test.first.ownerKey.id);
      // The part has the text already.
      expect(part.configs).toEqual([]);
    });

    it('that does not answer is stored anyway, and pushed', async () => {
      const part = await connect();
      let isAsked = false;
      const apply = (): Promise<never> => {
        isAsked = true;
        return new Promise(() => undefined);
      };
      part.serve({ apply }, clock);
      const applied = config('apply', { partId, text: textOf(1), baseRevision: '' });
      await settled(() => isAsked);
      clock.advance(25_000);
      expect((await applied).outcome?.$case).toBe('applied');
      await part.until(() => part.configs.length === 1);
    });

    it('that is offline is stored with the checks that the hub can do', async () => {
      await update(textOf(1));
      const base = revisionOf(textOf(1));
      const { outcome } = await config('apply', { partId, text: textOf(2), baseRevision: base, author: 'Mallory' });
      expect(outcome).toMatchObject({ $case: 'applied', value: { plan: { summary: 'a: max_rpm 1 to 2' } } });
      expect((await config('history', { partId })).versions[0]).toMatchObject({ author: 'owner', result: undefined });
      expect((await config('apply', { partId, text: textOf(3), baseRevision: base })).outcome).toMatchObject({
        $case: 'conflict',
        value: { currentText: textOf(2) },
      });
      const broken = await config('apply', { partId, text: '{"a":', baseRevision: revisionOf(textOf(2)) });
      expect(broken.outcome).toMatchObject({ $case: 'rejected', value: { problems: [{ line: 1 }] } });
      const trial = { partId, text: textOf(3), baseRevision: base, returnAfter: { seconds: 30n, nanos: 0 } };
      await expect(config('apply', trial)).rejects.toMatchObject({ code: StatusCode.FAILED_PRECONDITION });
      expect((await config('validate', { partId, text: '{"compnents": []}' })).problems).toMatchObject([
        { code: 'config.unknown_key', nearest: 'components' },
      ]);
    });

    it('is restored as a new version while the part is offline', async () => {
      await update(textOf(1));
      await update(textOf(2));
      const { result } = await config('restore', { partId, number: 1n, baseRevision: revisionOf(textOf(2)) });
      expect(result?.outcome?.$case).toBe('applied');
      expect((await config('history', { partId })).versions[0]).toMatchObject({ number: 3n, restoredFrom: 1n });
      expect((await config('getVersion', { partId, number: 3n })).text).toBe(textOf(1));
    });

    it('that is owned by a file of the part is refused while the part is offline', async () => {
      const part = await connect({ partId, ownsConfig: true });
      const request = { partId, text: textOf(1), baseRevision: '', author: 'file' };
      await test.call(PartServiceDefinition, 'storeConfig', request, { token });
      // The text in the file is already in use, so it is stored whatever the hub had.
      await test.call(PartServiceDefinition, 'storeConfig', { ...request, text: textOf(2) }, { token });
      part.leave();
      await part.until(() => part.status !== undefined);
      const base = revisionOf(textOf(2));
      await expect(config('apply', { partId, text: textOf(3), baseRevision: base })).rejects.toMatchObject({
        code: StatusCode.FAILED_PRECONDITION,
        message: expect.stringContaining('file on the machine owns') as string,
      });
      expect((await config('history', { partId })).versions.map(({ author }) => author)).toEqual(['file', 'file']);
    });

    it('and its result are seen in Watch, whoever stored it', async () => {
      const watch = test.start(ConfigServiceDefinition, 'watch', { partId }, { token: ownerToken });
      const states = () =>
        watch.messages.map((bytes) => ConfigServiceDefinition.methods.watch.responseType.decode(bytes));
      await settled(() => states().length === 1);
      expect(states()[0]).toMatchObject({ text: '', revision: '' });
      await update(textOf(1));
      await settled(() => states().at(-1)?.text === textOf(1));
      expect(states().at(-1)?.result).toMatchObject({ message: expect.stringContaining('offline') as string });
      await test.call(
        PartServiceDefinition,
        'reportResult',
        {
          partId,
          result: {
            outcome: Result_Outcome.APPLIED,
            revision: revisionOf(textOf(1)),
            message: 'done',
            time: new Date(),
            returnedText: '',
            unready: [],
            took: undefined,
          },
          summary: 'better',
          subjects: [],
        },
        { token },
      );
      await settled(() => states().at(-1)?.result?.outcome === Result_Outcome.APPLIED);
      watch.sink.cancel('enough');
    });
  });

  it('a configuration that is too large is refused before anything is done with it', async () => {
    const text = JSON.stringify({ notes: 'x'.repeat(10 * 1024 * 1024) });
    await expect(config('apply', { partId, text, baseRevision: '' })).rejects.toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
      message: expect.stringContaining('at most 8388608') as string,
    });
  });

  const authorization = () => ({
    authorizationType: 'role',
    authorizationId: 'organization_operator',
    resourceType: 'organization',
    resourceId: test.first.organizationId,
    identityId: '',
    organizationId: test.first.organizationId,
    identityType: '',
  });
});

/** Resolves when a condition without an event holds. */
async function settled(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('not within 10 s');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
