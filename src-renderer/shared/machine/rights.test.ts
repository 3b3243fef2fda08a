import { describe, expect, it } from 'vitest';
import type { LocationView, RoleView } from './fleet-view.ts';
import { mayDo, maySeeAny } from './rights.ts';

const place = { organizationId: 'o', locationId: 'bench', machineId: 'm', partId: 'p' };
const location = (id: string, parentId: string): LocationView => ({
  id,
  name: id,
  organizationId: 'o',
  parentId,
  machineCount: 0,
});
const locations = [location('lab', ''), location('bench', 'lab'), location('yard', '')];
const caller = (...roles: RoleView[]) => ({ isLocal: false, keyId: 'k', keyName: 'k', roles });
const may = (...roles: RoleView[]): boolean[] =>
  (['data.read', 'data.label', 'data.delete'] as const).map((action) =>
    mayDo(action, place, caller(...roles), locations),
  );

describe('the rights to data', () => {
  it('follow from the role and its place', () => {
    expect(may({ role: 'owner', kind: 'organization', id: 'o' })).toEqual([true, true, true]);
    expect(may({ role: 'operator', kind: 'machine', id: 'm' })).toEqual([true, true, false]);
    expect(may({ role: 'owner', kind: 'location', id: 'lab' })).toEqual([true, true, true]);
    expect(may({ role: 'part', kind: 'part', id: 'p' })).toEqual([false, false, false]);
    expect(
      may({ role: 'owner', kind: 'location', id: 'yard' }, { role: 'owner', kind: 'organization', id: 'x' }),
    ).toEqual([false, false, false]);
  });

  it('are all on the computer of the hub, and none before the caller is known', () => {
    expect(mayDo('data.delete', place, { ...caller(), isLocal: true }, locations)).toBe(true);
    expect(mayDo('data.read', place, undefined, locations)).toBe(false);
  });

  it('do not include seeing data for a part', () => {
    expect(maySeeAny(caller({ role: 'part', kind: 'part', id: 'p' }))).toBe(false);
    expect(maySeeAny(caller({ role: 'operator', kind: 'part', id: 'p' }))).toBe(true);
    expect(maySeeAny(undefined)).toBe(true);
  });
});
