import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problemOf, rooms } from './rooms.js';

describe('the rooms of the hub and of the machine', () => {
  it.each([
    ['src-main/hub/access/x.ts', '../fleet/parts.ts'],
    ['src-main/hub/presence/x.ts', '../history/part-versions.ts'],
    ['src-main/hub/storage/sqlite/x.ts', '../../access/caller.ts'],
    ['src-main/hub/logs/x.ts', '../hub.ts'],
    ['src-main/hub/news/x.ts', '../storage/store.ts'],
    ['src-main/machine/config/x.ts', '../graph/state.ts'],
    ['src-main/machine/modules/process/x.ts', '../../cloud/hub-link.ts'],
    ['src-main/machine/logging/x.ts', '../machine.ts'],
  ])('refuse %s importing %s', (from, specifier) => {
    expect(problemOf(from, specifier)).toBeTypeOf('string');
  });

  it.each([
    ['src-main/hub/hub.ts', './fleet/fleet.ts'],
    ['src-main/hub/history/x.ts', '../presence/live-parts.ts'],
    ['src-main/hub/access/x509/x.ts', './der.ts'],
    ['src-main/hub/access/x.ts', '../../base/clock.ts'],
    ['src-main/hub/access/x.int.test.ts', '../testing/test-hub.ts'],
    ['src-main/hub/registry/testing/x.ts', '../../testing/test-hub.ts'],
    ['src-main/machine/machine.ts', './cloud/joined-hub.ts'],
    ['src-main/machine/graph/x.ts', '../catalog/model.ts'],
    ['src-main/app/x.ts', '../hub/hub.ts'],
  ])('allow %s importing %s', (from, specifier) => {
    expect(problemOf(from, specifier)).toBeUndefined();
  });

  it.each(Object.entries(rooms))('of %s import in no circle', (_folder, all) => {
    const before = new Set<string>();
    for (const [room, allowed] of Object.entries(all)) {
      expect(allowed.filter((one) => !before.has(one))).toEqual([]);
      before.add(room);
    }
  });

  it.each(Object.entries(rooms))('of %s are the folders there are', (folder, all) => {
    const entries = readdirSync(new URL(`../../${folder}`, import.meta.url), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'testing').map(({ name }) => name);
    expect(Object.keys(all).sort()).toEqual(names.sort());
  });
});
