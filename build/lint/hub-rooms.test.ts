import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problemOf, rooms } from './hub-rooms.js';

describe('the rooms of the hub', () => {
  it.each([
    ['src-main/hub/access/x.ts', '../fleet/parts.ts'],
    ['src-main/hub/presence/x.ts', '../history/part-versions.ts'],
    ['src-main/hub/storage/sqlite/x.ts', '../../access/caller.ts'],
    ['src-main/hub/logs/x.ts', '../hub.ts'],
    ['src-main/hub/news/x.ts', '../storage/store.ts'],
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
    ['src-main/app/x.ts', '../hub/hub.ts'],
  ])('allow %s importing %s', (from, specifier) => {
    expect(problemOf(from, specifier)).toBeUndefined();
  });

  it('import in no circle', () => {
    const before = new Set<string>();
    for (const [room, allowed] of Object.entries(rooms)) {
      expect(allowed.filter((one) => !before.has(one))).toEqual([]);
      before.add(room);
    }
  });

  it('are the folders there are', () => {
    const folders = readdirSync(new URL('../../src-main/hub', import.meta.url), { withFileTypes: true });
    const names = folders.filter((entry) => entry.isDirectory() && entry.name !== 'testing').map(({ name }) => name);
    expect(Object.keys(rooms).sort()).toEqual(names.sort());
  });
});
