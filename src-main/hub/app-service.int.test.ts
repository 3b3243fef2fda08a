import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppServiceDefinition, AuthenticationType, OnlineState } from '../../proto/gen/core/app/v1/app.ts';
import { ManualClock } from '../base/clock.ts';
import { revisionOf } from '../base/revision.ts';
import { StatusCode } from '../base/status.ts';
import { MAX_CONFIG_BYTES } from './history/part-versions.ts';
import { testStores } from './storage/testing/test-stores.ts';
import { TestHub, type AppCall } from './testing/test-hub.ts';

const { NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED } = StatusCode;
const { UNIMPLEMENTED, RESOURCE_EXHAUSTED } = StatusCode;

describe.each(testStores)('AppService on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 5, 1));
    test = await TestHub.open(kind, clock);
    owner = await test.asOwner();
  });

  afterEach(() => test.end());

  const mainPart = async (): Promise<string> =>
    (await owner('getRobotParts', { robotId: test.first.machineId })).parts[0]?.id ?? '';
  const newLocation = async (name: string, parentLocationId?: string): Promise<string> => {
    clock.advance(1);
    const request = { organizationId: test.first.organizationId, name };
    const made = await owner(
      'createLocation',
      parentLocationId === undefined ? request : { ...request, parentLocationId },
    );
    return made.location?.id ?? '';
  };
  const keyFor = async (authorizationId: string, resourceId: string): Promise<AppCall> => {
    const resourceType = authorizationId.split('_')[0] ?? '';
    const authorization = { authorizationType: 'role', authorizationId, resourceType, resourceId };
    const rest = { identityId: '', organizationId: '', identityType: '' };
    const { id, key } = await owner('createKey', { name: 'k', authorizations: [{ ...authorization, ...rest }] });
    return test.as({ id, secret: key });
  };

  it('only the first start creates an organization, a location, a machine and its main part', async () => {
    const { organizations } = await owner('listOrganizations', {});
    const [organization] = organizations;
    expect(organizations).toHaveLength(1);
    const { locations } = await owner('listLocations', { organizationId: organization?.id ?? '' });
    expect(locations).toMatchObject([{ id: test.first.locationId, parentLocationId: '', robotCount: 1 }]);
    const { robots } = await owner('listRobotsForOrg', { orgId: organization?.id ?? '' });
    expect(robots).toMatchObject([
      { id: test.first.machineId, name: 'bench', onlineState: OnlineState.AWAITING_SETUP },
    ]);
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    expect(parts).toMatchObject([
      {
        name: 'bench-main',
        mainPart: true,
        fqdn: `bench.${test.first.locationId}.armature.local`,
        secret: '',
        secrets: [],
        robotConfigJson: '{}',
      },
    ]);
    await test.close();
    test = await TestHub.open(kind, clock, test.place);
    expect(test.hub.parts.firstStart).toBeUndefined();
  });

  describe('organizations', () => {
    it('have names, one public namespace each, and metadata', async () => {
      const { organizationId } = test.first;
      await owner('updateOrganization', { organizationId, name: ' Works ', publicNamespace: 'works', region: 'eu' });
      const metadata = { owner: 'me', list: [1, { a: null }] };
      await owner('updateOrganizationMetadata', { organizationId, data: metadata });
      const { organization } = await owner('getOrganization', { organizationId });
      expect(organization).toMatchObject({ name: 'Works', publicNamespace: 'works', defaultRegion: 'eu' });
      expect((await owner('getOrganizationMetadata', { organizationId })).data).toEqual(metadata);
      const free = async (publicNamespace: string) =>
        (await owner('getOrganizationNamespaceAvailability', { publicNamespace })).available;
      expect([await free('works'), await free('other')]).toEqual([false, true]);

      const other = await owner('createOrganization', { name: 'Other' });
      const otherId = other.organization?.id ?? '';
      const take = owner('updateOrganizationNamespace', { organizationId: otherId, newPublicNamespace: 'works' });
      await expect(take).rejects.toMatchObject({ code: ALREADY_EXISTS });
    });

    it('are deleted only when empty', async () => {
      const { organizationId } = test.first;
      await expect(owner('deleteOrganization', { organizationId })).rejects.toMatchObject({
        code: FAILED_PRECONDITION,
        message: expect.stringContaining('1 location') as string,
      });
      const { organization } = await owner('createOrganization', { name: 'Other' });
      await owner('deleteOrganization', { organizationId: organization?.id ?? '' });
      expect((await owner('listOrganizations', {})).organizations).toHaveLength(1);
    });

    it('are created by owners of one only, who then own them', async () => {
      const operator = await keyFor('organization_operator', test.first.organizationId);
      await expect(operator('createOrganization', { name: 'X' })).rejects.toMatchObject({ code: PERMISSION_DENIED });
      const made = await owner('createOrganization', { name: 'X' });
      const organizationId = made.organization?.id ?? '';
      await owner('createLocation', { organizationId, name: 'there' });
      await expect(operator('getOrganization', { organizationId })).rejects.toMatchObject({ code: NOT_FOUND });
      expect((await operator('listOrganizations', {})).organizations).toHaveLength(1);
    });
  });

  describe('locations', () => {
    it('form a tree; names are unique among siblings', async () => {
      const hall = await newLocation('Hall');
      const bench = await newLocation('Bench', hall);
      await newLocation('Bench');
      await expect(newLocation('Bench', hall)).rejects.toMatchObject({ code: ALREADY_EXISTS });
      const { locations } = await owner('listLocations', { organizationId: test.first.organizationId });
      expect(locations.map(({ name, parentLocationId }) => [name, parentLocationId])).toEqual([
        ['My location', ''],
        ['Hall', ''],
        ['Bench', hall],
        ['Bench', ''],
      ]);
      await owner('updateLocation', { locationId: hall, name: 'Big hall' });
      await expect(owner('updateLocation', { locationId: hall, parentLocationId: bench })).rejects.toMatchObject({
        code: INVALID_ARGUMENT,
        message: expect.stringContaining('into itself') as string,
      });
      await expect(owner('updateLocation', { locationId: bench, parentLocationId: '' })).rejects.toMatchObject({
        code: ALREADY_EXISTS,
      });
      const moved = await owner('updateLocation', { locationId: bench, parentLocationId: test.first.locationId });
      expect(moved.location?.parentLocationId).toBe(test.first.locationId);
    });

    it('show their organization to callers who may see them', async () => {
      const { organizationId, machineId } = test.first;
      const locationId = (await owner('getRobot', { id: machineId })).robot?.location ?? '';
      const { organization } = await owner('getOrganization', { organizationId });
      const organizationIdentities = [{ id: organizationId, name: organization?.name }];
      const operator = await keyFor('robot_operator', machineId);
      for (const caller of [owner, operator]) {
        expect(await caller('getOrganizationsWithAccessToLocation', { locationId })).toMatchObject({
          organizationIdentities,
        });
      }
      const unseen = await newLocation('unseen');
      const refused = operator('getOrganizationsWithAccessToLocation', { locationId: unseen });
      await expect(refused).rejects.toMatchObject({ code: NOT_FOUND });
    });

    it('are deleted only when empty; the error says what they contain', async () => {
      const hall = await newLocation('Hall');
      await newLocation('Bench', hall);
      await owner('newRobot', { name: 'a', location: hall });
      await owner('newRobot', { name: 'b', location: hall });
      await expect(owner('deleteLocation', { locationId: hall })).rejects.toMatchObject({
        code: FAILED_PRECONDITION,
        message: expect.stringContaining('2 machines and 1 location') as string,
      });
      const empty = await newLocation('Empty');
      await owner('deleteLocation', { locationId: empty });
      await expect(owner('getLocation', { locationId: empty })).rejects.toMatchObject({ code: NOT_FOUND });
    });

    it('of another organization cannot be parents', async () => {
      const made = await owner('createOrganization', { name: 'X' });
      const organizationId = made.organization?.id ?? '';
      const request = { organizationId, name: 'there', parentLocationId: test.first.locationId };
      await expect(owner('createLocation', request)).rejects.toMatchObject({ code: NOT_FOUND });
    });
  });

  describe('machines', () => {
    it('are created with a main part, renamed, moved, deleted', async () => {
      const hall = await newLocation('Hall');
      const { id } = await owner('newRobot', { name: 'Arm_1', location: hall });
      const { parts } = await owner('getRobotParts', { robotId: id });
      expect(parts).toMatchObject([{ name: 'Arm_1-main', mainPart: true, fqdn: `arm-1.${hall}.armature.local` }]);
      const { robot } = await owner('updateRobot', { id, name: 'arm', location: test.first.locationId });
      expect(robot).toMatchObject({ name: 'arm', location: test.first.locationId });
      expect((await owner('listRobots', { locationId: hall })).robots).toEqual([]);
      const both = { locationIds: [hall, test.first.locationId] };
      expect((await owner('listRobotsForLocations', both)).robots.map(({ name }) => name).sort()).toEqual([
        'arm',
        'bench',
      ]);
      await owner('deleteRobot', { id });
      await expect(owner('getRobot', { id })).rejects.toMatchObject({ code: NOT_FOUND });
    });

    it('have unique addresses: names that differ only in case or underscores are equal', async () => {
      const { locationId } = test.first;
      for (const name of ['bench', 'Bench', 'BENCH']) {
        await expect(owner('newRobot', { name, location: locationId })).rejects.toMatchObject({ code: ALREADY_EXISTS });
      }
      const { id } = await owner('newRobot', { name: 'a_b', location: locationId });
      await expect(owner('newRobot', { name: 'a-b', location: locationId })).rejects.toMatchObject({
        code: ALREADY_EXISTS,
      });
      await expect(owner('updateRobot', { id, name: 'bench', location: '' })).rejects.toMatchObject({
        code: ALREADY_EXISTS,
      });
    });

    it('cannot be moved to another organization', async () => {
      const made = await owner('createOrganization', { name: 'X' });
      const there = await owner('createLocation', { organizationId: made.organization?.id ?? '', name: 'there' });
      const request = { id: test.first.machineId, name: '', location: there.location?.id ?? '' };
      await expect(owner('updateRobot', request)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    });

    it('a key for only a machine is deleted with it, a key with other roles stays', async () => {
      const { id } = await owner('newRobot', { name: 'arm', location: test.first.locationId });
      const mine = await keyFor('robot_owner', id);
      expect((await owner('getRobotAPIKeys', { robotId: id })).apiKeys).toHaveLength(1);
      await owner('deleteRobot', { id });
      await expect(mine('listOrganizations', {})).rejects.toMatchObject({ code: StatusCode.UNAUTHENTICATED });
      expect((await owner('listKeys', { orgId: test.first.organizationId })).apiKeys).toHaveLength(1);
    });
  });

  describe('parts', () => {
    it('are added, found by name, made the main part, deleted', async () => {
      const robotId = test.first.machineId;
      const first = await mainPart();
      clock.advance(1);
      const { partId } = await owner('newRobotPart', { robotId, partName: 'arm' });
      await expect(owner('newRobotPart', { robotId, partName: 'Arm' })).rejects.toMatchObject({ code: ALREADY_EXISTS });
      const found = await owner('getRobotPartByNameAndLocation', { name: 'arm', locationId: test.first.locationId });
      expect(found.part).toMatchObject({
        id: partId,
        mainPart: false,
        fqdn: `arm.bench.${test.first.locationId}.armature.local`,
      });
      await expect(owner('deleteRobotPart', { partId: first })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
      await expect(owner('deleteRobot', { id: robotId })).rejects.toMatchObject({
        code: FAILED_PRECONDITION,
        message: expect.stringContaining('1 further part') as string,
      });
      await owner('markPartAsMain', { partId });
      const { parts } = await owner('getRobotParts', { robotId });
      expect(parts.map(({ id, mainPart: isMain }) => [id, isMain])).toEqual([
        [partId, true],
        [first, false],
      ]);
      await owner('deleteRobotPart', { partId: first });
      expect((await owner('getRobotParts', { robotId })).parts).toHaveLength(1);
    });

    it('keep their metadata', async () => {
      const id = await mainPart();
      await owner('updateRobotPartMetadata', { id, data: { rack: 4 } });
      expect((await owner('getRobotPartMetadata', { id })).data).toEqual({ rack: 4 });
      const robot = { id: test.first.machineId };
      await owner('updateRobotMetadata', { ...robot, data: { a: 'b' } });
      expect((await owner('getRobotMetadata', robot)).data).toEqual({ a: 'b' });
    });

    it('have secrets that are shown once', async () => {
      const partId = await mainPart();
      const made = await owner('createRobotPartSecret', { partId });
      expect(made.part?.secret).toMatch(/^[a-z0-9]{50}$/);
      expect(made.part?.secrets.map(({ secret }) => secret)).toEqual([made.part?.secret]);
      const { part } = await owner('getRobotPart', { id: partId });
      expect([part?.secret, part?.secrets.map(({ secret }) => secret)]).toEqual(['', ['']]);
      await owner('deleteRobotPartSecret', { partId, secretId: part?.secrets[0]?.id ?? '' });
      expect((await owner('getRobotPart', { id: partId })).part?.secrets).toEqual([]);
    });
  });

  describe('configurations', () => {
    const odd = '\uFEFF{\r\n\t"components" : [ ],   "notes": "ä😀\\u0041", "z": 1.0, "a": 12345678901234567890 }\r\n\n';

    it('robot_config_json is stored byte for byte, under the revision that everybody computes', async () => {
      const id = await mainPart();
      const { part } = await owner('updateRobotPart', { id, name: '', robotConfigJson: odd });
      expect(part?.robotConfigJson).toBe(odd);
      const got = await owner('getRobotPart', { id });
      expect([got.configJson, got.part?.robotConfigJson]).toEqual([odd, odd]);
      expect(got.part?.robotConfig).toMatchObject({ components: [], notes: 'ä😀A' });
      const version = await test.hub.parts.configs.versions.get(id, 1);
      expect([version?.text, version?.revision]).toEqual([odd, revisionOf(odd)]);
    });

    it('robot_config alone is stored as JSON with the same content', async () => {
      const id = await mainPart();
      const robotConfig = { components: [{ name: 'm', attributes: { max_rpm: 100, on: true, none: null } }] };
      await owner('updateRobotPart', { id, name: '', robotConfig });
      const got = await owner('getRobotPart', { id });
      expect(got.part?.robotConfig).toEqual(robotConfig);
      expect(JSON.parse(got.configJson)).toEqual(robotConfig);
    });

    it('the text takes precedence over the object, and without both only the name changes', async () => {
      const id = await mainPart();
      await owner('updateRobotPart', { id, name: '', robotConfig: { a: 1 }, robotConfigJson: '{"b":2}' });
      const { part } = await owner('updateRobotPart', { id, name: 'renamed' });
      expect(part).toMatchObject({ name: 'renamed', robotConfigJson: '{"b":2}' });
      expect(await test.hub.parts.configs.versions.list(id, { limit: 10 })).toHaveLength(1);
    });

    it('last_known_update is compared: the second of two editors gets a conflict', async () => {
      const id = await mainPart();
      const seen = (await owner('getRobotPart', { id })).part?.lastUpdated;
      const edit = (robotConfigJson: string, lastKnownUpdate = seen) =>
        owner('updateRobotPart', { id, name: '', robotConfigJson, ...(lastKnownUpdate && { lastKnownUpdate }) });
      const results = await Promise.allSettled([edit('{"a":1}'), edit('{"b":2}'), edit('{"c":3}')]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: ABORTED });
      }
      const now = (await owner('getRobotPart', { id })).part?.lastUpdated;
      // The clock stood still, but the times differ anyway.
      expect(now?.getTime()).toBeGreaterThan(seen?.getTime() ?? 0);
      await edit('{"d":4}', now);
    });

    it('two states have different times even if the clock was set back', async () => {
      const id = await mainPart();
      const key = test.first.ownerKey;
      const times: number[] = [];
      for (const step of [0, 0, -1, 0]) {
        if (step < 0) {
          await test.close();
          clock = new ManualClock(Date.UTC(2020, 1, 1));
          test = await TestHub.open(kind, clock, test.place);
          owner = await test.as(key);
        }
        const { part } = await owner('updateRobotPart', { id, name: '', robotConfigJson: `{"n":${times.length}}` });
        times.push(part?.lastUpdated?.getTime() ?? 0);
      }
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    });

    it.each([
      ['{"a": }', INVALID_ARGUMENT, /line 1, column 7/],
      ['[]', INVALID_ARGUMENT, /object/],
      ['', INVALID_ARGUMENT, /JSON/],
      ['null', INVALID_ARGUMENT, /object/],
      [`{"a":"${'x'.repeat(MAX_CONFIG_BYTES)}"}`, RESOURCE_EXHAUSTED, /at most 8388608/],
    ])(
      'an invalid configuration is refused and does not change the current one: %#',
      async (robotConfigJson, code, message) => {
        const id = await mainPart();
        await owner('updateRobotPart', { id, name: '', robotConfigJson: '{"good":1}' });
        await expect(owner('updateRobotPart', { id, name: 'other', robotConfigJson })).rejects.toMatchObject({
          code,
          message: expect.stringMatching(message) as string,
        });
        const { part } = await owner('getRobotPart', { id });
        expect(part).toMatchObject({ name: 'bench-main', robotConfigJson: '{"good":1}' });
      },
    );
  });

  describe('history', () => {
    it('has all versions, newest first, each with the part before it, its time and its author, in pages', async () => {
      const id = await mainPart();
      for (let number = 1; number <= 7; number++) {
        clock.advance(1_000);
        await owner('updateRobotPart', { id, name: '', robotConfigJson: `{"n":${number}}` });
      }
      const pages: string[] = [];
      const seen: [string, number][] = [];
      let pageToken = '';
      do {
        const page = await owner('getRobotPartHistory', { id, pageToken, pageLimit: 3n });
        seen.push(
          ...page.history.map(({ old, when }): [string, number] => [
            old?.robotConfigJson ?? '',
            (when?.getTime() ?? 0) - clock.now(),
          ]),
        );
        expect(page.history[0]?.editedBy).toEqual({
          type: AuthenticationType.API_KEY,
          value: test.first.ownerKey.id,
          isDeactivated: false,
        });
        pageToken = page.nextPageToken;
        pages.push(pageToken);
      } while (pageToken !== '' && pages.length < 10);
      expect(pages).toEqual(['5', '2', '']);
      expect(seen).toEqual(
        [6, 5, 4, 3, 2, 1, 0].map((before, index) => [before === 0 ? '{}' : `{"n":${before}}`, 0 - 1_000 * index]),
      );
    });

    it('is searched by time, and shows when an editor was deleted', async () => {
      const id = await mainPart();
      const editor = await keyFor('organization_owner', test.first.organizationId);
      await editor('updateRobotPart', { id, name: '', robotConfigJson: '{"n":1}' });
      const { apiKeys } = await owner('listKeys', { orgId: test.first.organizationId });
      const made = apiKeys.find(({ apiKey }) => apiKey?.id !== test.first.ownerKey.id);
      await owner('deleteKey', { id: made?.apiKey?.id ?? '' });
      clock.advance(1_000);
      const middle = new Date(clock.now() - 500);
      await owner('updateRobotPart', { id, name: '', robotConfigJson: '{"n":2}' });
      const early = await owner('getRobotPartHistory', { id, end: middle });
      expect(early.history.map(({ editedBy }) => editedBy?.isDeactivated)).toEqual([true]);
      const late = await owner('getRobotPartHistory', { id, start: middle });
      expect(late.history.map(({ old }) => old?.robotConfigJson)).toEqual(['{"n":1}']);
      await expect(owner('getRobotPartHistory', { id, pageToken: 'x' })).rejects.toMatchObject({
        code: INVALID_ARGUMENT,
      });
    });

    it('an unchanged text creates no version', async () => {
      const id = await mainPart();
      for (let index = 0; index < 3; index++) await owner('updateRobotPart', { id, name: '', robotConfigJson: '{}' });
      expect((await owner('getRobotPartHistory', { id })).history).toHaveLength(1);
    });

    it('pages of large configurations fit into an answer', async () => {
      const id = await mainPart();
      for (let number = 1; number <= 4; number++) {
        const robotConfigJson = JSON.stringify({ number, notes: 'x'.repeat(5_000_000) });
        await owner('updateRobotPart', { id, name: '', robotConfigJson });
      }
      let pageToken = '';
      let entries = 0;
      do {
        const page = await owner('getRobotPartHistory', { id, pageToken, pageLimit: 100n });
        entries += page.history.length;
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      expect(entries).toBe(4);
    });
  });

  it('missing and hidden resources give the same error, in every call', async () => {
    const hall = await newLocation('Hall');
    const { id: machine } = await owner('newRobot', { name: 'arm', location: hall });
    const stranger = await keyFor('robot_operator', machine);
    const [partId, { machineId, locationId, organizationId }] = [await mainPart(), test.first];
    const other = await owner('createOrganization', { name: 'Other' });
    const cases: (readonly (() => Promise<unknown>)[])[] = [
      [() => stranger('getRobot', { id: machineId }), () => stranger('getRobot', { id: 'none' })],
      [() => stranger('getRobotPart', { id: partId }), () => stranger('getRobotPart', { id: 'none' })],
      [() => stranger('getLocation', { locationId }), () => stranger('getLocation', { locationId: 'none' })],
      [
        () => stranger('getOrganization', { organizationId: other.organization?.id ?? '' }),
        () => stranger('getOrganization', { organizationId: 'none' }),
      ],
      [() => stranger('deleteRobot', { id: machineId }), () => stranger('deleteRobot', { id: 'none' })],
      [
        () => stranger('updateRobotPart', { id: partId, name: '', robotConfigJson: '{}' }),
        () => stranger('updateRobotPart', { id: 'none', name: '', robotConfigJson: '{}' }),
      ],
      [() => stranger('getRobotPartHistory', { id: partId }), () => stranger('getRobotPartHistory', { id: 'none' })],
    ];
    const ids = [machineId, partId, locationId, other.organization?.id ?? '', 'none'];
    const masked = (text: string): string => ids.reduce((masking, id) => masking.replaceAll(id, 'ID'), text);
    for (const [index, calls] of cases.entries()) {
      const [hidden, missing] = await Promise.all(
        calls.map((call) => call().catch((thrown: unknown) => thrown as { code: number; message: string })),
      );
      expect(hidden, `case ${index}`).toMatchObject({ code: NOT_FOUND });
      expect(masked((hidden as Error).message)).toBe(masked((missing as Error).message));
    }
    // It can read the names of the levels above it.
    expect((await stranger('getOrganization', { organizationId })).organization?.id).toBe(organizationId);
    expect((await stranger('listLocations', { organizationId })).locations.map(({ id }) => id)).toEqual([hall]);
    expect((await stranger('listRobotsForOrg', { orgId: organizationId })).robots.map(({ id }) => id)).toEqual([
      machine,
    ]);
    const denied = stranger('updateRobot', { id: machine, name: 'x', location: '' });
    await expect(denied).rejects.toMatchObject({ code: PERMISSION_DENIED });
    expect(test.hub.parts.refusals.count('not-permitted')).toBe(1);
  });

  it('the README lists the answered and unanswered calls correctly', async () => {
    const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    const listed = (heading: string): string[] => {
      const [, section = ''] = readme.split(`## ${heading}`);
      return [...(section.split('\n## ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    };
    const [answered, unanswered] = [listed('Answered'), listed('Not answered')];
    const methods = Object.entries(AppServiceDefinition.methods);
    expect([...answered, ...unanswered].sort()).toEqual(methods.map(([, { name }]) => name).sort());
    for (const [key, { name }] of methods) {
      const call = owner(key as keyof typeof AppServiceDefinition.methods, {});
      const code = await call.then(
        () => 0,
        (thrown: unknown) => (thrown as { code: number }).code,
      );
      expect([name, code === UNIMPLEMENTED]).toEqual([name, unanswered.includes(name)]);
    }
  });
});
