import { describe, expect, it } from 'vitest';
import { Presence, Presence_State } from '../../../proto/gen/core/hub/v1/presence.ts';
import { locationPaths, locationsWithin } from '../../shared/stores/fleet.ts';
import { addressProblem, cloudBlock } from './cloud-block.ts';
import { countsOf, everything, filterOf, FleetOrder, queryOf, shownParts } from './fleet-rows.ts';

const part = (machineName: string, changed: Partial<Presence> = {}): Presence => ({
  ...Presence.fromPartial({
    partId: `part-${machineName}`,
    partName: 'main',
    isMain: true,
    machineName,
    locationId: 'lab-1',
    state: Presence_State.ONLINE,
    version: '0.1.0',
    platform: 'linux/amd64',
    host: `${machineName}.local`,
  }),
  ...changed,
});

const locations = [
  { id: 'lab-1', name: 'Lab 1', organizationId: 'org', parentId: '', machineCount: 1 },
  { id: 'row-a', name: 'Row A', organizationId: 'org', parentId: 'lab-1', machineCount: 1 },
  { id: 'lab-2', name: 'Lab 2', organizationId: 'org', parentId: '', machineCount: 1 },
];
const paths = locationPaths({ organizations: [{ id: 'org', name: 'Ours' }], locations });
const pathOf = (id: string): string => paths.get(id) ?? '';
const map = (parts: readonly Presence[]) => new Map(parts.map((each) => [each.partId, each]));
const names = (parts: readonly Presence[]) => parts.map(({ machineName }) => machineName);

describe('the list of machines', () => {
  it('is sorted by name, with numbers as numbers, and follows renamed and removed parts', () => {
    const order = new FleetOrder();
    const parts = [part('bench-10'), part('bench-9'), part('arm')];
    expect(names(order.sorted(map(parts)))).toEqual(['arm', 'bench-9', 'bench-10']);
    const renamed = parts.map((each) => (each.machineName === 'arm' ? { ...each, machineName: 'zebra' } : each));
    expect(names(order.sorted(map(renamed)))).toEqual(['bench-9', 'bench-10', 'zebra']);
    expect(names(order.sorted(map(renamed.slice(1))))).toEqual(['bench-9', 'zebra']);
  });

  it('shows a new state of a part without sorting again', () => {
    const order = new FleetOrder();
    order.sorted(map([part('a'), part('b')]));
    expect(order.sorted(map([part('a', { state: Presence_State.OFFLINE }), part('b')]))[0]?.state).toBe(
      Presence_State.OFFLINE,
    );
  });

  it('is filtered by every word, by location with the locations inside it, and by state', () => {
    const parts = [
      part('bench-1'),
      part('bench-2', { locationId: 'row-a', resourcesFailed: 1 }),
      part('press', { locationId: 'lab-2', state: Presence_State.OFFLINE }),
    ];
    const shown = (filter: object) => {
      const whole = { ...everything, ...filter };
      return names(shownParts(parts, whole, locationsWithin(whole.location, locations), pathOf));
    };
    expect(shown({})).toHaveLength(3);
    expect(shown({ text: ' ROW bench ' })).toEqual(['bench-2']);
    expect(shown({ text: 'bench lab 2' })).toEqual(['bench-2']);
    expect(shown({ location: 'lab-1' })).toEqual(['bench-1', 'bench-2']);
    expect(shown({ state: 'offline' })).toEqual(['press']);
    expect(shown({ state: 'failed' })).toEqual(['bench-2']);
    expect(countsOf(parts)).toEqual({ all: 3, online: 2, offline: 1, awaiting: 0, failed: 1 });
  });

  it('keeps its filter in the address, and ignores unknown values', () => {
    const filter = { text: 'a b', location: 'lab-1', state: 'offline' } as const;
    expect(filterOf(queryOf(filter))).toEqual(filter);
    expect(queryOf(everything)).toEqual({});
    expect(filterOf({ state: 'sleeping', text: ['x', 'y'] })).toEqual({ ...everything, text: 'x' });
  });

  it('names locations with their parents, and with the organization if there are two', () => {
    expect(pathOf('row-a')).toBe('Lab 1 / Row A');
    const organizations = [
      { id: 'org', name: 'Ours' },
      { id: 'other', name: 'Theirs' },
    ];
    expect(locationPaths({ organizations, locations }).get('row-a')).toBe('Ours / Lab 1 / Row A');
  });

  it('copes with locations that contain each other', () => {
    const circle = [
      { id: 'a', name: 'A', organizationId: 'org', parentId: 'b', machineCount: 0 },
      { id: 'b', name: 'B', organizationId: 'org', parentId: 'a', machineCount: 0 },
    ];
    expect(locationPaths({ organizations: [], locations: circle }).get('a')).toBe('B / A');
  });
});

describe('the block that connects a machine to the fleet', () => {
  it('is JSON with part, key and address, and with the authority if the hub uses TLS', () => {
    const key = { id: 'k', secret: 's' };
    expect(JSON.parse(cloudBlock('p', key, 'https://hub:8090'))).toEqual({
      cloud: { id: 'p', api_key: { id: 'k', key: 's' }, app_address: 'https://hub:8090', ca: 'hub-ca.pem' },
    });
    expect(cloudBlock('p', key, 'http://hub:8080')).not.toContain('"ca"');
  });

  it.each([
    ['https://hub.lab:8090', ''],
    ['http://hub.lab:8080', 'clear'],
    ['http://localhost:8080', 'loopback'],
    ['https://127.0.0.1:8080', 'loopback'],
    ['https://[::1]:8080', 'loopback'],
    ['hub.lab', 'form'],
    ['https://hub.lab/page', 'form'],
    ['https://', 'form'],
  ])('%s: %j', (address, problem) => expect(addressProblem(address)).toBe(problem));
});
