import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actions, permissions, type Action, type Role } from '../../../proto/config/permissions.ts';
import type { Place } from '../places/place.ts';
import { isAllowed, isWithin, type Grant } from './permissions.ts';

/** Places of a small fleet with every relation: two organizations, locations nested three deep, machines, parts. */
const organization = fc.constantFrom('o1', 'o2');
const path = fc.constantFrom([], ['a'], ['b', 'a'], ['c', 'b', 'a'], ['d']);
const place: fc.Arbitrary<Place> = fc
  .record({
    organizationId: organization,
    locationIds: path,
    depth: fc.constantFrom(0, 1, 2),
    n: fc.constantFrom(1, 2),
  })
  .map(({ organizationId, locationIds, depth, n }) => {
    // Ids are unique in the whole hub.
    const own = locationIds.map((id) => `${organizationId}-${id}`);
    const machineId = depth > 0 && own.length > 0 ? `${own[0]}-m${n}` : undefined;
    return {
      organizationId,
      locationIds: own,
      machineId,
      partId: depth > 1 && machineId !== undefined ? `${machineId}-p${n}` : undefined,
    };
  });
const role = fc.constantFrom<Role>('owner', 'operator', 'part');
const grant: fc.Arbitrary<Grant> = fc.record({ role, place });
const grants = fc.array(grant, { maxLength: 4 });
const action = fc.constantFrom(...actions);
const READS_ABOVE: readonly Action[] = [
  'organization.read',
  'location.read',
  'machine.read',
  'module.read',
  'package.read',
];

/** A place as a list of ids from the top: an independent model of the same relation. */
const pathOf = ({ organizationId, locationIds, machineId, partId }: Place): string =>
  [organizationId, ...[...locationIds].reverse(), machineId, partId].filter((id) => id !== undefined).join('/') + '/';

describe('permissions', () => {
  it('a place is within another if its path begins with the other path', () => {
    fc.assert(
      fc.property(place, place, (inner, outer) => {
        expect(isWithin(inner, outer)).toBe(pathOf(inner).startsWith(pathOf(outer)));
      }),
    );
  });

  it('nothing is allowed without a grant', () => {
    fc.assert(fc.property(action, place, (what, at) => !isAllowed([], what, at)));
  });

  it('adding a grant removes no permission', () => {
    fc.assert(
      fc.property(grants, grant, action, place, (some, more, what, at) => {
        if (isAllowed(some, what, at)) expect(isAllowed([...some, more], what, at)).toBe(true);
      }),
    );
  });

  it('grants do not combine: what several grants allow, one of them allows', () => {
    fc.assert(
      fc.property(grants, action, place, (some, what, at) => {
        expect(isAllowed(some, what, at)).toBe(some.some((one) => isAllowed([one], what, at)));
      }),
    );
  });

  it('an owner may do whatever an operator or a part may do there, except what only the part itself may', () => {
    fc.assert(
      fc.property(place, role, action, place, (where, lesser, what, at) => {
        if (isAllowed([{ role: lesser, place: where }], what, at)) {
          expect(isAllowed([{ role: 'owner', place: where }], what, at)).toBe(true);
        }
      }),
    );
  });

  it('outside of its place a grant only allows reading the names above it', () => {
    fc.assert(
      fc.property(grant, action, place, (one, what, at) => {
        if (!isAllowed([one], what, at) || pathOf(at).startsWith(pathOf(one.place))) return;
        expect(READS_ABOVE).toContain(what);
        expect(pathOf(one.place).startsWith(pathOf(at))).toBe(true);
      }),
    );
  });

  it('within its place a grant allows exactly what the table lists for its role', () => {
    fc.assert(
      fc.property(grant, action, place, (one, what, at) => {
        fc.pre(pathOf(at).startsWith(pathOf(one.place)));
        expect(isAllowed([one], what, at)).toBe((permissions[what] as readonly Role[]).includes(one.role));
      }),
    );
  });

  it('operators only change captured data, its labels and dashboards, and parts only captured data, notes and dashboards', () => {
    const isOpen = /\.(read|operate|serve|annotate)$|^data\.(write|label)$|^dashboard\.write$/;
    const changes = actions.filter((name) => !isOpen.test(name));
    expect(changes.length).toBeGreaterThan(10);
    for (const what of changes) expect(permissions[what]).toEqual(['owner']);
    expect(permissions['history.annotate']).not.toContain('operator');
    expect(permissions['data.label']).not.toContain('part');
  });
});
