import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  API,
  COEXISTING_MODEL,
  GraphFixture,
  MODEL,
  resource,
  settle,
  type BuildBehaviour,
  type CloseBehaviour,
} from './testing/graph-fixture.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

const name = fc.constantFrom(...names);
const behaviour: fc.Arbitrary<BuildBehaviour> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<BuildBehaviour>('ok') },
  { weight: 4, arbitrary: fc.constantFrom<BuildBehaviour>('throw', 'user-error', 'hang', 'hang-until-abort') },
);
const closing: fc.Arbitrary<CloseBehaviour> = fc.constantFrom('ok', 'ok', 'throw');

const entry: fc.Arbitrary<ResourceConfig> = fc
  .record({
    name,
    needs: fc.uniqueArray(name, { maxLength: 2 }),
    uses: fc.uniqueArray(name, { maxLength: 2 }),
    build: behaviour,
    close: closing,
    change: fc.constantFrom<('ok' | 'throw')[]>('ok', 'throw'),
    limit: fc.nat(2),
    value: fc.nat(2),
    isDisabled: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    model: fc.constantFrom(MODEL, COEXISTING_MODEL),
  })
  .map(({ name, isDisabled, model, ...attributes }) => resource(name, attributes, { isDisabled, model }));

/** Cycles are more likely than in real configurations; half of the configurations have none. */
const config = fc
  .tuple(fc.uniqueArray(entry, { selector: (item) => item.name, maxLength: names.length }), fc.boolean())
  .map(([entries, isAcyclic]) => (isAcyclic ? entries.map(withoutCircle) : entries));

function withoutCircle(item: ResourceConfig): ResourceConfig {
  const before = (other: string) => other < item.name;
  const { needs, uses } = item.attributes as { needs: string[]; uses: string[] };
  return { ...item, attributes: { ...item.attributes, needs: needs.filter(before), uses: uses.filter(before) } };
}

type Step =
  | { readonly kind: 'apply'; readonly config: readonly ResourceConfig[] }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'break' | 'mend' | 'gate' | 'release'; readonly name: string }
  | { readonly kind: 'settle' | 'release-all' | 'catalog' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: config.map((config): Step => ({ kind: 'apply', config })) },
  { weight: 3, arbitrary: fc.constantFrom(10, 1_000, 5_000, 70_000).map((ms): Step => ({ kind: 'pass', ms })) },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ kind: 'settle' }, { kind: 'release-all' }, { kind: 'catalog' }) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('break', 'mend', 'gate', 'release'), name)
      .map(([kind, name]): Step => ({ kind, name })),
  },
);

async function take(fixture: GraphFixture, step: Step): Promise<void> {
  const { world } = fixture;
  switch (step.kind) {
    case 'apply':
      void fixture.start(...step.config);
      return;
    case 'pass':
      return fixture.pass(step.ms, Math.max(10, step.ms / 20));
    case 'break':
      return void world.broken.add(step.name);
    case 'mend':
      return void world.broken.delete(step.name);
    case 'gate':
      return world.gate(step.name);
    case 'release':
      return world.release(step.name);
    case 'settle':
      return settle();
    case 'release-all':
      return world.releaseAll();
    case 'catalog':
      return fixture.graph.catalogChanged();
  }
}

/** Repairs everything that was broken, and lets time pass until nothing more happens. */
async function comeToRest(fixture: GraphFixture): Promise<void> {
  fixture.world.broken.clear();
  for (let round = 0; round < 10; round++) {
    fixture.world.releaseAll();
    await fixture.pass(65_000, 5_000);
  }
}

/** What a person sees, without anything that depends on timing. */
function seen(fixture: GraphFixture): unknown {
  const { graph, world } = fixture;
  const statuses = graph.statuses().map(({ fullName, state, revision: _, since: __, ...status }) => {
    const reason = 'reason' in state ? state.reason.replace(/since \S+/g, '') : '';
    return [fullName, state.kind, reason, status];
  });
  const given = world.alive.map(({ name, attributes, limit, dependencies }) => {
    const { value } = attributes;
    return [name, value, limit, dependencies.map((dependency) => dependency.name)];
  });
  return { statuses: statuses.sort(byName), given: given.sort(byName) };
}

/**
 * A constructor that hangs until told to give up alternates between running and waiting for a retry: a single look
 * proves nothing.
 */
function withoutEndlessTries(item: ResourceConfig): ResourceConfig {
  if (item.attributes.build !== 'hang-until-abort') return item;
  return { ...item, attributes: { ...item.attributes, build: 'throw' } };
}

function byName(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a[0]) < String(b[0]) ? -1 : 1;
}

describe('any sequence of plans, failures and delays', () => {
  it('ends as configured last, two instances only where they may, dependents first, no leak', async () => {
    const runs = fc.array(step, { minLength: 1, maxLength: 25 });
    const finals = config.map((entries) => entries.map(withoutEndlessTries));
    await fc.assert(
      fc.asyncProperty(runs, finals, async (steps, last) => {
        const fixture = new GraphFixture();
        for (const step of steps) await take(fixture, step);
        const applied = fixture.start(...last);
        for (const name of names) fixture.world.release(name);
        await comeToRest(fixture);
        expect(fixture.world.violations).toEqual([]);
        expect((await applied).isSuperseded).toBe(false);

        const fresh = new GraphFixture();
        void fresh.start(...last);
        await comeToRest(fresh);
        expect(seen(fixture)).toEqual(seen(fresh));
        expect(fixture.graph.appliedRevision).toBe(fixture.graph.desiredRevision);

        const closed = fixture.graph.close();
        await fixture.pass(60_000, 1_000);
        fixture.world.releaseAll();
        await fixture.pass(60_000, 1_000);
        expect(await closed).toEqual({ unclosed: [] });
        expect(fixture.world.alive).toEqual([]);
        expect(fixture.world.violations).toEqual([]);
        expect(fixture.clock.pending).toBe(0);
        expect(fixture.graph.statuses()).toEqual([]);
      }),
      { seed: 7, numRuns: 150 },
    );
  }, 120_000);

  it('rebuilding one resource rebuilds what depends on it, near and far, and nothing else', async () => {
    const sound = config.map((entries) =>
      entries.map((item) => {
        const { needs, uses } = withoutCircle(item).attributes;
        const attributes = { needs: needs as string[], uses: uses as string[], value: 0 };
        return resource(item.name, attributes, { model: item.model });
      }),
    );
    await fc.assert(
      fc.asyncProperty(sound, fc.nat(), async (entries, pick) => {
        const fixture = new GraphFixture();
        await fixture.apply(...entries);
        const ready = fixture.world.alive.map(({ name }) => name);
        if (ready.length === 0) return;
        const rebuilt = ready[pick % ready.length]!;
        const expected = new Set([rebuilt]);
        for (let size = 0; size < expected.size;) {
          size = expected.size;
          for (const { name, dependencies } of fixture.world.alive) {
            if (dependencies.some((dependency) => expected.has(dependency.name))) expected.add(name);
          }
        }
        fixture.takeEvents();
        const changed = entries.map((item) =>
          item.name === rebuilt ? { ...item, attributes: { ...item.attributes, value: 1 } } : item,
        );
        await fixture.apply(...changed);
        const builds = fixture.takeEvents().filter((event) => event.startsWith('build '));
        expect(builds.sort()).toEqual([...expected].map((name) => `build ${name}`).sort());
        expect(fixture.world.violations).toEqual([]);
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it('what subscribers were told adds up to what there is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const fixture = new GraphFixture();
        for (const step of steps) await take(fixture, step);
        await settle();
        const known = new Map<string, unknown>();
        for (const { upserted, removed } of fixture.batches) {
          for (const status of upserted) known.set(status.fullName, status);
          for (const name of removed) known.delete(name);
        }
        const statuses = fixture.graph.statuses();
        expect(Object.fromEntries(known)).toEqual(
          Object.fromEntries(statuses.map((status) => [status.fullName, status])),
        );
        for (const { name, state } of statuses) {
          if (state.kind === 'ready') expect(fixture.graph.find(API, name).kind).toBe('local');
        }
      }),
      { seed: 11, numRuns: 100 },
    );
  }, 120_000);
});
