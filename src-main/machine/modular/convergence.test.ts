import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ComponentConfig } from '../../../proto/gen/core/app/v1/robot.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import { API, MODEL, resource, settle } from '../graph/testing/graph-fixture.ts';
import { FakeModule } from './testing/fake-module.ts';
import { ModularFixture } from './testing/modular-fixture.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const moduleIds = ['acme:parts', 'acme:more'] as const;
type ModuleId = (typeof moduleIds)[number];

const SERVICE = 'core.component.generic.v1.GenericService';

interface Attributes {
  readonly needs: readonly string[];
  readonly uses: readonly string[];
  readonly build: 'ok' | 'throw' | 'hang' | 'refuse';
  readonly change: 'ok' | 'throw';
}

/**
 * A module whose resources behave as their attributes say. Anything that it must never see is recorded in `violations`.
 */
function startModule(
  fixture: ModularFixture,
  moduleId: ModuleId,
  { violations, busy, modules: started }: Pick<World, 'violations' | 'busy' | 'modules'>,
): FakeModule {
  const module = new FakeModule({
    clock: fixture.clock,
    name: moduleId.replace(':', '_'),
    moduleId,
    models: [{ api: API, model: `${moduleId}:part`, service: SERVICE }],
    make: (_config, name) => ({ name, close: async () => undefined }),
  });
  const attributesOf = ({ attributes }: ComponentConfig): Attributes => attributes as unknown as Attributes;
  const isAlive = (fullName: string): boolean => {
    const name = fullName.slice(fullName.indexOf('/') + 1);
    const inWorld = fixture.world.alive.some((instance) => instance.name === name);
    return inWorld || fixture.directory.running.some((one) => (one as FakeModule).instances.has(fullName));
  };
  module.onValidate = (config) => {
    const { needs, uses, build } = attributesOf(config);
    if (busy.is) throw new ArmatureError('resource.not_ready', 'busy');
    if (build === 'refuse') throw new ArmatureError('call.bad_argument', 'this is not allowed');
    return { dependencies: needs, optional: uses };
  };
  module.onAdd = async (config, signal) => {
    const { build } = attributesOf(config);
    if (build === 'hang') await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    if (build !== 'ok') throw new Error('no answer from the chip');
  };
  module.onReconfigure = (config) => {
    if (attributesOf(config).change === 'throw') throw new Error('not now');
  };
  const { set } = module.instances;
  module.instances.set = (name, added) => {
    for (const dependency of added.dependencies) {
      if (!isAlive(dependency.replace('rdk:', 'core:')) && !isAlive(dependency)) {
        violations.push(`${name} is given ${dependency}, which is not there`);
      }
    }
    return set.call(module.instances, name, added);
  };
  module.onRemove = (name) => {
    for (const dependency of module.instances.get(name)?.dependencies ?? []) {
      // It could not wait for an instance whose process had ended.
      const isTaken = started.some(({ peer, instances }) => peer.isClosed && instances.has(dependency));
      if (!isAlive(dependency) && !isTaken) violations.push(`${name} outlives ${dependency}`);
    }
  };
  return module;
}

const name = fc.constantFrom(...names);
const entry: fc.Arbitrary<ResourceConfig> = fc
  .record({
    name,
    model: fc.constantFrom(MODEL, ...moduleIds.map((id) => `${id}:part`)),
    needs: fc.uniqueArray(name, { maxLength: 2 }),
    uses: fc.uniqueArray(name, { maxLength: 1 }),
    build: fc.constantFrom<Attributes['build']>('ok', 'ok', 'ok', 'ok', 'throw', 'hang', 'refuse'),
    change: fc.constantFrom<Attributes['change']>('ok', 'throw'),
    limit: fc.nat(2),
    value: fc.nat(2),
    isDisabled: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  })
  .map(({ name, isDisabled, model, ...attributes }) => {
    // The test's own models use other words for it.
    const build = model === MODEL && attributes.build === 'refuse' ? 'user-error' : attributes.build;
    return resource(name, { ...attributes, build } as never, { isDisabled, model });
  });

const config = fc
  .tuple(fc.uniqueArray(entry, { selector: (item) => item.name, maxLength: names.length }), fc.boolean())
  .map(([entries, isAcyclic]) => (isAcyclic ? entries.map(withoutCircle) : entries));

function withoutCircle(item: ResourceConfig): ResourceConfig {
  const before = (other: string): boolean => other < item.name;
  const { needs, uses } = item.attributes as { needs: string[]; uses: string[] };
  return { ...item, attributes: { ...item.attributes, needs: needs.filter(before), uses: uses.filter(before) } };
}

/** A resource that hangs alternates between an attempt and waiting for the next one: a single look proves nothing. */
function withoutEndlessTries(item: ResourceConfig): ResourceConfig {
  return item.attributes['build'] === 'hang' ? { ...item, attributes: { ...item.attributes, build: 'throw' } } : item;
}

type Fate = 'runs' | 'starting' | 'failed' | 'disabled' | 'gone';
const fate = fc.constantFrom<Fate>('runs', 'runs', 'starting', 'failed', 'disabled', 'gone');

type Step =
  | { readonly kind: 'apply'; readonly config: readonly ResourceConfig[] }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'module'; readonly id: ModuleId; readonly fate: Fate }
  | { readonly kind: 'busy'; readonly is: boolean }
  | { readonly kind: 'settle' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: config.map((config): Step => ({ kind: 'apply', config })) },
  { weight: 3, arbitrary: fc.constantFrom(10, 1_000, 6_000, 70_000).map((ms): Step => ({ kind: 'pass', ms })) },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constantFrom(...moduleIds), fate).map(([id, fate]): Step => ({ kind: 'module', id, fate })),
  },
  { weight: 1, arbitrary: fc.boolean().map((is): Step => ({ kind: 'busy', is })) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'settle' }) },
);

class World {
  readonly fixture = new ModularFixture();
  readonly violations: string[] = [];
  readonly busy = { is: false };
  readonly modules: FakeModule[] = [];

  meet(id: ModuleId, fate: Fate): void {
    const { directory } = this.fixture;
    if (fate === 'gone') directory.forget(id);
    else if (fate !== 'runs') directory.lose(id, fate, `module ${id} ended`);
    else {
      directory.lose(id, 'starting');
      const module = startModule(this.fixture, id, this);
      this.modules.push(module);
      const others = directory.running.filter(({ moduleId }) => moduleId !== id);
      directory.run(...[...others, module].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1)));
    }
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'apply':
        return void this.fixture.start(...step.config);
      case 'pass':
        return this.fixture.pass(step.ms, Math.max(10, step.ms / 20));
      case 'module':
        return this.meet(step.id, step.fate);
      case 'busy':
        this.busy.is = step.is;
        return;
      case 'settle':
        return settle();
    }
  }

  async comeToRest(): Promise<void> {
    this.busy.is = false;
    for (let round = 0; round < 8; round++) {
      this.fixture.world.releaseAll();
      await this.fixture.pass(65_000, 2_500);
    }
  }

  /** What a person sees, and which instances the processes have. */
  seen(): unknown {
    const { graph, world, directory } = this.fixture;
    const statuses = graph.statuses().map(({ fullName, state, dependsOn }) => {
      const told = 'reason' in state ? state.reason : '';
      // The time, and why a module has to start again, depend on the history.
      const reason = told.replace(/since \S+|: module \S+ ended/g, '');
      // If the module refuses to answer again, its earlier answer is kept.
      return [fullName, state.kind, reason, state.kind === 'failed' ? [] : [...dependsOn].sort()];
    });
    const here = world.alive.map((one) => [
      one.name,
      one.attributes.value,
      one.limit,
      one.dependencies.map((d) => d.name),
    ]);
    const there = directory.running.flatMap((module) =>
      [...(module as FakeModule).instances].map(([fullName, { config, dependencies }]) => {
        const { value, limit } = config.attributes as { value: number; limit: number };
        return [fullName, value, limit, [...dependencies].sort()];
      }),
    );
    return { statuses: statuses.sort(byName), here: here.sort(byName), there: there.sort(byName) };
  }

  get broken(): readonly string[] {
    return [
      ...this.violations,
      ...this.fixture.world.violations,
      ...this.modules.flatMap(({ violations }) => violations),
    ];
  }
}

function byName(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a[0]) < String(b[0]) ? -1 : 1;
}

describe('any sequence of plans, and of modules that come and go', () => {
  it('ends as configured last, with nothing left in any process', async () => {
    const fates = fc.record({ 'acme:parts': fate, 'acme:more': fate });
    const finals = config.map((entries) => entries.map(withoutEndlessTries));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), finals, fates, async (steps, last, fates) => {
        const used = new World();
        for (const step of steps) await used.take(step);
        void used.fixture.start(...last);
        for (const id of moduleIds) used.meet(id, fates[id]);
        await used.comeToRest();
        expect(used.broken).toEqual([]);

        const fresh = new World();
        for (const id of moduleIds) fresh.meet(id, fates[id]);
        void fresh.fixture.start(...last);
        await fresh.comeToRest();
        expect(used.seen()).toEqual(fresh.seen());
        expect(used.broken).toEqual([]);

        const closed = used.fixture.graph.close();
        await used.fixture.pass(60_000, 1_000);
        used.fixture.world.releaseAll();
        await used.fixture.pass(60_000, 1_000);
        expect(await closed).toEqual({ unclosed: [] });
        for (const module of used.fixture.directory.running as readonly FakeModule[]) {
          expect([...module.instances.keys()]).toEqual([]);
        }
        expect(used.modules.map(({ holds }) => holds).filter((holds) => holds !== 0)).toEqual([]);
        expect(used.broken).toEqual([]);
        expect(used.fixture.clock.pending).toBe(0);
      }),
      { seed: 5, numRuns: 150 },
    );
  }, 120_000);
});
