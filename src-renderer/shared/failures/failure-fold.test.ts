import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import { resourceOf } from '../machine/resource.fixture.ts';
import { FailureFold, foldMs } from './failure-fold.ts';

const { READY, FAILED, CONFIGURING, WAITING } = Resource_State;
const of = (states: Readonly<Record<string, Resource_State>>): Resource[] =>
  Object.entries(states).map(([name, state]) => resourceOf(name, { state }));
const namesOf = (news: { readonly resources: readonly Resource[] } | undefined): string[] | undefined =>
  news?.resources.map(({ name }) => name.slice(name.indexOf('/') + 1));

describe('the folding of failures', () => {
  it('tells one failure at once, and again only after the resource was ready', () => {
    const fold = new FailureFold();
    expect(fold.take(of({ a: READY }), false, 0)).toBeUndefined();
    expect(namesOf(fold.take(of({ a: FAILED }), false, 10))).toEqual(['a']);
    expect(fold.take(of({ a: CONFIGURING }), false, 20)).toBeUndefined();
    expect(fold.take(of({ a: FAILED }), false, 60_000)).toBeUndefined();
    fold.take(of({ a: READY }), false, 70_000);
    expect(namesOf(fold.take(of({ a: FAILED }), false, 80_000))).toEqual(['a']);
  });

  it('adds what fails within 5 s to the same news, and begins another after that', () => {
    const fold = new FailureFold();
    const first = fold.take(of({ a: FAILED, b: READY, c: READY, d: READY }), false, 0);
    const second = fold.take(of({ a: FAILED, b: FAILED, c: FAILED, d: READY }), false, foldMs);
    expect(namesOf(second)).toEqual(['a', 'b', 'c']);
    expect(second?.tag).toBe(first?.tag);
    const third = fold.take(of({ a: FAILED, b: FAILED, c: FAILED, d: FAILED }), false, foldMs + 1);
    expect(namesOf(third)).toEqual(['d']);
    expect(third?.tag).not.toBe(first?.tag);
  });

  it('tells nothing of what failed while the page was seen, nor of what only waits', () => {
    const fold = new FailureFold();
    expect(fold.take(of({ a: FAILED, b: WAITING }), true, 0)).toBeUndefined();
    expect(fold.take(of({ a: FAILED, b: WAITING }), false, 1)).toBeUndefined();
    expect(namesOf(fold.take(of({ a: FAILED, b: FAILED }), false, 2))).toEqual(['b']);
  });

  it('forgets what is not there any more', () => {
    const fold = new FailureFold();
    fold.take(of({ a: FAILED }), false, 0);
    fold.take([], false, 1);
    expect(namesOf(fold.take(of({ a: FAILED }), false, 60_000))).toEqual(['a']);
  });

  it('tells each failure once for any course of states', () => {
    const state = fc.constantFrom(READY, FAILED, CONFIGURING, WAITING);
    const course = fc.array(
      fc.tuple(fc.record({ a: state, b: state, c: state }), fc.boolean(), fc.integer({ min: 0, max: 8_000 })),
    );
    fc.assert(
      fc.property(course, (steps) => {
        const fold = new FailureFold();
        /** A simpler model: for each resource, whether its failure is news. */
        const isTold = new Map<string, boolean>();
        let told = new Set<string>();
        let tag = '';
        let now = 0;
        for (const [states, isSeen, ms] of steps) {
          now += ms;
          const news = fold.take(of(states), isSeen, now);
          const expected = Object.entries(states)
            .filter(([name, at]) => at === FAILED && isTold.get(name) !== true)
            .map(([name]) => name);
          for (const [name, at] of Object.entries(states)) {
            if (at === FAILED) isTold.set(name, true);
            if (at === READY) isTold.set(name, false);
          }
          if (isSeen || expected.length === 0) {
            expect(news).toBeUndefined();
            continue;
          }
          if (news?.tag !== tag) told = new Set();
          tag = news?.tag ?? '';
          const fresh = (namesOf(news) ?? []).slice(told.size);
          expect(fresh).toEqual(expected);
          told = new Set([...told, ...fresh.map((name) => `${name} ${now}`)]);
        }
      }),
    );
  });
});
