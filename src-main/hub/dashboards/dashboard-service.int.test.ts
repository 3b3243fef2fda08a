import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dashboardOf, noteTile } from '../../../proto/config/dashboards/dashboard.fixture.ts';
import { MAX_DASHBOARDS } from '../../../proto/config/dashboards/dashboard-limits.ts';
import { DashboardServiceDefinition, type WatchResponse } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { StatusCode } from '../../base/status.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { TestHub, type AppCall } from '../testing/test-hub.ts';

const { ABORTED, ALREADY_EXISTS, INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED } = StatusCode;

describe.each(testStores)('dashboards of parts on $name', (kind) => {
  let test: TestHub;
  let owner: AppCall;
  let token = '';
  let partId = '';

  beforeEach(async () => {
    test = await TestHub.open(kind);
    owner = await test.asOwner();
    token = await test.logIn(test.first.ownerKey);
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    partId = parts[0]?.id ?? '';
  });
  afterEach(() => test.end());

  const put = async (id: string, name: string, text: string, baseRevision = '', by = token) => {
    const dashboard = dashboardOf(id, name, [noteTile('note', text)]);
    const request = { partId, dashboard, baseRevision };
    return (await test.call(DashboardServiceDefinition, 'put', request, { token: by })).dashboard;
  };
  const remove = (id: string, baseRevision: string, by = token) =>
    test.call(DashboardServiceDefinition, 'delete', { partId, id, baseRevision }, { token: by });
  /** What a watch has said so far. */
  const watch = (by = token) => {
    const call = test.start(DashboardServiceDefinition, 'watch', { partId }, { token: by });
    const said = (): WatchResponse[] =>
      call.messages.map((bytes) => DashboardServiceDefinition.methods.watch.responseType.decode(bytes));
    return {
      call,
      next: async (count: number): Promise<WatchResponse> => {
        while (said().length < count && call.status === undefined) await new Promise((done) => setImmediate(done));
        const last = said()[count - 1];
        if (last === undefined) throw new Error(`the watch has ended: ${call.status?.message}`);
        return last;
      },
    };
  };
  const current = async (): Promise<WatchResponse['dashboards']> => {
    const { call, next } = watch();
    const { dashboards } = await next(1);
    call.sink.cancel('enough');
    return dashboards;
  };

  it('are watched: all at once, then again after each change', async () => {
    const { call, next } = watch();
    expect(await next(1)).toEqual({ dashboards: [], readOnly: false });
    const stored = await put('a', 'Bench', 'one');
    expect((await next(2)).dashboards).toEqual([stored]);
    const changed = await put('a', 'Bench', 'two', stored?.revision);
    expect((await next(3)).dashboards).toEqual([changed]);
    const other = await put('b', 'Angles', '');
    expect((await next(4)).dashboards).toEqual([other, changed]);
    await remove('a', changed?.revision ?? '');
    expect((await next(5)).dashboards).toEqual([other]);
    call.sink.cancel('enough');
  });

  it('a change that does not know the latest one is a conflict, and changes nothing', async () => {
    const stored = await put('a', 'Bench', 'one');
    const changed = await put('a', 'Bench', 'theirs', stored?.revision);
    await expect(put('a', 'Bench', 'mine', stored?.revision)).rejects.toMatchObject({
      code: ABORTED,
      message: 'The dashboard "Bench" was changed in another window. Load it again, then repeat your change.',
    });
    await expect(remove('a', stored?.revision ?? '')).rejects.toMatchObject({ code: ABORTED });
    expect(await current()).toEqual([changed]);
    await remove('a', changed?.revision ?? '');
    await expect(remove('a', changed?.revision ?? '')).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(put('a', 'Bench', 'mine', changed?.revision)).rejects.toMatchObject({ code: ABORTED });
    expect(await current()).toEqual([]);
  });

  it('of two changes at the same time one is stored, and the other is a conflict', async () => {
    const stored = await put('a', 'Bench', 'one');
    const both = await Promise.allSettled(['mine', 'theirs'].map((text) => put('a', 'Bench', text, stored?.revision)));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await current()).toHaveLength(1);
  });

  it('have limits that say what was found and what to do', async () => {
    await put('a', 'Bench', '');
    await expect(put('b', 'bench', '')).rejects.toMatchObject({ code: ALREADY_EXISTS });
    await expect(put('b', '', '')).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    await expect(put('b', 'Long', 'x'.repeat(65_536))).rejects.toMatchObject({ code: RESOURCE_EXHAUSTED });
    for (let count = 1; count < MAX_DASHBOARDS; count++) await put(`id-${count}`, `Bench ${count}`, '');
    await expect(put('more', 'More', '')).rejects.toMatchObject({
      code: RESOURCE_EXHAUSTED,
      message: `This machine has 50 dashboards, and at most 50 are kept. Delete one that nobody needs, then add "More" again.`,
    });
    expect(await current()).toHaveLength(MAX_DASHBOARDS);
  });

  it('outlive the hub, and end with their machine', async () => {
    const { ownerKey, machineId } = test.first;
    const stored = await put('a', 'Bench', 'one');
    await test.close();
    test = await TestHub.open(kind, undefined, test.place);
    expect(await current()).toEqual([stored]);
    await (
      await test.as(ownerKey)
    )('deleteRobot', { id: machineId });
    expect(await test.hub.parts.store.db.selectFrom('dashboards').selectAll().execute()).toEqual([]);
  });

  it('operators may change them, and so may the part, for people at the machine', async () => {
    const { organizationId } = test.first;
    const authorization = {
      authorizationType: 'role',
      authorizationId: 'organization_operator',
      resourceType: 'organization',
      resourceId: organizationId,
      identityId: '',
      organizationId,
      identityType: 'api-key',
    };
    const made = await owner('createKey', { name: 'operator', authorizations: [authorization] });
    const operator = await test.logIn({ id: made.id, secret: made.key });
    const stored = await put('a', 'Bench', 'one', '', operator);
    const { part } = await owner('createRobotPartSecret', { partId });
    const secret = part?.secrets.at(-1)?.secret ?? '';
    const partToken = await test.logIn({ id: partId, secret, type: 'robot-secret' });
    await put('a', 'Bench', 'two', stored?.revision, partToken);
    const { call, next } = watch(operator);
    expect((await next(1)).readOnly).toBe(false);
    call.sink.cancel('enough');
  });

  it('of another organization are as if they did not exist', async () => {
    const other = await owner('createOrganization', { name: 'Others' });
    const organizationId = other.organization?.id ?? '';
    const authorization = {
      authorizationType: 'role',
      authorizationId: 'organization_owner',
      resourceType: 'organization',
      resourceId: organizationId,
      identityId: '',
      organizationId,
      identityType: 'api-key',
    };
    const made = await owner('createKey', { name: 'other', authorizations: [authorization] });
    const stranger = await test.logIn({ id: made.id, secret: made.key });
    await expect(put('a', 'Bench', '', '', stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    expect(await watch(stranger).call.ended).toMatchObject({ code: NOT_FOUND });
    expect(await watch('').call.ended).toMatchObject({ code: StatusCode.UNAUTHENTICATED });
  });
});
