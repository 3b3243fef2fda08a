import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HubServiceDefinition, DescribeResponse_Kind } from '../../../proto/gen/core/hub/v1/hub.ts';
import { PresenceServiceDefinition, WatchPresenceResponse } from '../../../proto/gen/core/hub/v1/presence.ts';
import { placeOf } from '../storage/open-store.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { TestHub } from '../testing/test-hub.ts';

describe.each(testStores)('the fleet as it changes, on $name', (kind) => {
  let test: TestHub;
  beforeEach(async () => {
    test = await TestHub.open(kind);
  });
  afterEach(() => test.end());

  const messages = (received: readonly Uint8Array[]) => received.map((bytes) => WatchPresenceResponse.decode(bytes));

  it('each part has its names and place, and a watch reports machines added, changed and deleted', async () => {
    const owner = await test.asOwner();
    const token = await test.logIn(test.first.ownerKey);
    const watch = test.start(PresenceServiceDefinition, 'watch', { brief: true }, { token });
    await expect.poll(() => watch.messages.length).toBe(1);
    const [first] = messages(watch.messages);
    expect(first?.parts).toMatchObject([{ machineName: 'bench', isMain: true, configNumber: 0n }]);

    const { location } = await owner('createLocation', {
      organizationId: test.first.organizationId,
      name: 'Lab 2',
    });
    const { id } = await owner('newRobot', { name: 'press', location: location?.id ?? '' });
    const latest = () => messages(watch.messages).flatMap(({ parts }) => parts);
    await expect.poll(() => latest().map(({ machineName }) => machineName)).toContain('press');
    const press = latest().find(({ machineName }) => machineName === 'press');
    expect(press).toMatchObject({ locationId: location?.id, machineId: id, organizationId: test.first.organizationId });

    await owner('updateRobot', { id, name: 'press-2', location: '' });
    await expect.poll(() => latest().map(({ machineName }) => machineName)).toContain('press-2');
    await owner('updateRobotPart', { id: press?.partId ?? '', robotConfigJson: '{"log": []}' });
    await expect.poll(() => latest().at(-1)).toMatchObject({ machineName: 'press-2', configNumber: 1n });
    await owner('deleteRobot', { id });
    await expect.poll(() => messages(watch.messages).flatMap(({ removed }) => removed)).toEqual([press?.partId]);
  });

  it('a key sees only its own machines, and only what it may see of the hub', async () => {
    const owner = await test.asOwner();
    const { organizationId } = test.first;
    const { location } = await owner('createLocation', { organizationId, name: 'Lab 2' });
    await owner('newRobot', { name: 'press', location: location?.id ?? '' });
    const role = { authorizationType: 'role', authorizationId: 'location_operator', resourceType: 'location' };
    const wanted = { ...role, resourceId: location?.id ?? '', identityId: '', organizationId, identityType: 'api-key' };
    const key = await owner('createKey', { name: 'lab 2', authorizations: [wanted] });
    const token = await test.logIn({ id: key.id, secret: key.key });

    const { parts } = await test.call(PresenceServiceDefinition, 'list', { brief: true }, { token });
    expect(parts.map(({ machineName }) => machineName)).toEqual(['press']);
    const seen = await test.call(HubServiceDefinition, 'describe', {}, { token });
    expect(seen).toMatchObject({ kind: DescribeResponse_Kind.ALONE, data: '', refusals: [], ownPartId: '' });
    expect(seen.caller).toMatchObject({
      isLocal: false,
      keyId: key.id,
      keyName: 'lab 2',
      roles: [{ role: 'operator', type: 'location', id: location?.id }],
    });

    const ownerToken = await test.logIn(test.first.ownerKey);
    const told = await test.call(HubServiceDefinition, 'describe', {}, { token: ownerToken });
    expect(told.data).toBe(placeOf(test.place.address));
    expect(told.authority).toContain('BEGIN CERTIFICATE');
    expect(told.caller?.roles).toMatchObject([{ role: 'owner', type: 'organization', id: organizationId }]);
  });
});
