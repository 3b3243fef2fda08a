import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dashboardOf, noteTile } from '../../../proto/config/dashboards/dashboard.fixture.ts';
import { MAX_DASHBOARDS } from '../../../proto/config/dashboards/dashboard-limits.ts';
import type { Dashboard } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { inOrder } from '../../../proto/config/dashboards/dashboard-order.ts';
import { checkDelete, checkPut, withRevision } from './dashboard-changes.ts';

const kept = (id: string, name: string, text = ''): Dashboard =>
  withRevision(dashboardOf(id, name, [noteTile('note', text)]));
const put = (all: readonly Dashboard[], dashboard: Dashboard, baseRevision = ''): Dashboard =>
  checkPut(all, { dashboard, baseRevision });

describe('a put', () => {
  it('stores a new dashboard with a trimmed name and a revision', () => {
    const stored = put([], { ...kept('a', ' Bench '), revision: 'mine' });
    expect(stored).toMatchObject({ id: 'a', name: 'Bench' });
    expect(stored.revision).toMatch(/^[0-9a-f]{12}$/);
  });

  it('replaces the one that the caller saw', () => {
    const before = kept('a', 'Bench');
    const after = put([before], kept('a', 'Bench', 'new'), before.revision);
    expect(after.revision).not.toBe(before.revision);
  });

  it('of what is stored already changes nothing', () => {
    const before = kept('a', 'Bench');
    expect(put([before], kept('a', 'Bench'))).toBe(before);
  });

  it.each([
    ['changed', [kept('a', 'Bench', 'theirs')], /"Bench" was changed in another window. Load it again/],
    ['deleted', [], /"Bench" was deleted in another window. Save yours under a new name/],
  ])('of one that was %s meanwhile is a conflict', (_how, now, message) => {
    const asking = (): unknown => put(now, kept('a', 'Bench', 'mine'), kept('a', 'Bench').revision);
    expect(asking).toThrow(expect.objectContaining({ code: 'dashboard.conflict' }) as Error);
    expect(asking).toThrow(message);
  });

  it('of a new one does not replace another with the same id', () => {
    expect(() => put([kept('a', 'Bench')], kept('a', 'Other'))).toThrow(/changed in another window/);
  });

  it('needs a name that no other one has', () => {
    expect(() => put([kept('a', 'Bench')], kept('b', 'bench'))).toThrow(
      expect.objectContaining({
        code: 'dashboard.name_taken',
        message: 'This machine has a dashboard "Bench" already. Choose another name.',
      }) as Error,
    );
    const own = kept('a', 'Bench');
    expect(put([own], kept('a', 'BENCH'), own.revision).name).toBe('BENCH');
  });

  it('is refused where as many as allowed are kept, unless it replaces one', () => {
    const full = Array.from({ length: MAX_DASHBOARDS }, (_, index) => kept(`id-${index}`, `Bench ${index}`));
    expect(() => put(full, kept('more', 'More'))).toThrow(
      /This machine has 50 dashboards, and at most 50 are kept. Delete one that nobody needs, then add "More" again./,
    );
    expect(put(full, kept('id-0', 'Bench 0', 'new'), full[0]?.revision).name).toBe('Bench 0');
  });

  it.each([
    ['call.bad_argument', undefined],
    ['call.bad_argument', kept('a', 'x'.repeat(61))],
    ['call.too_large', kept('a', 'Bench', 'x'.repeat(70_000))],
  ])('is refused with %s where it is not allowed', (code, dashboard) => {
    expect(() => checkPut([], { dashboard, baseRevision: '' })).toThrow(expect.objectContaining({ code }) as Error);
  });

  it('never loses a change: of two that began with the same one, only the first is stored', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (begin, mine, theirs) => {
        fc.pre(begin !== theirs && mine !== theirs && begin !== mine);
        const before = kept('a', 'Bench', begin);
        const first = put([before], kept('a', 'Bench', theirs), before.revision);
        expect(() => put([first], kept('a', 'Bench', mine), before.revision)).toThrow(/another window/);
      }),
    );
  });
});

describe('a delete', () => {
  it('needs the one that the caller saw', () => {
    const before = kept('a', 'Bench');
    expect(() => checkDelete([before], { id: 'a', baseRevision: before.revision })).not.toThrow();
    expect(() => checkDelete([before], { id: 'a', baseRevision: 'older' })).toThrow(/changed in another window/);
    expect(() => checkDelete([before], { id: 'b', baseRevision: '' })).toThrow(/There is no dashboard "b"/);
  });
});

it('dashboards are shown by name', () => {
  expect(inOrder([kept('1', 'b'), kept('2', 'A'), kept('3', 'a 10')]).map(({ id }) => id)).toEqual(['2', '3', '1']);
});
