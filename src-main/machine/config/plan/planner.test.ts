import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { board, configOf, fixtureCatalog, motor, sensor } from '../config.fixture.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import type { CatalogEntry } from '../../catalog/model.ts';
import type { MachineConfig } from '../machine-config.ts';
import type { Plan } from './plan.ts';
import { planChange } from './planner.ts';

const plan = (from: object | undefined, to: object): Plan =>
  planChange(from === undefined ? undefined : configOf(from), configOf(to), fixtureCatalog);

/** `kind short-name reason`, and `stops` where motion stops. */
const lines = ({ resources }: Plan): readonly string[] =>
  resources.map((change) =>
    [
      change.kind,
      change.name.split('/')[1],
      change.reason,
      ...('stopsMotion' in change && change.stopsMotion ? ['(stops)'] : []),
    ].join(' '),
  );

const bench = (...more: object[]): object => ({ components: [board(), motor(), ...more] });

describe('resources', () => {
  it('adds everything at start, dependencies first', () => {
    expect(lines(plan(undefined, { components: [motor(), sensor(), board()] }))).toEqual([
      'add bench added',
      'add left added',
      'add heat added',
    ]);
    expect(plan(undefined, bench()).settings).toEqual([]);
  });

  it('removes dependents before what they depend on', () => {
    expect(lines(plan(bench(sensor()), { components: [] }))).toEqual([
      'remove heat removed',
      'remove left removed (stops)',
      'remove bench removed',
    ]);
  });

  it('changes a limit in place: nothing stops', () => {
    const changed = plan(bench(), { components: [board(), motor('left', { max_rpm: 120 })] });
    expect(lines(changed)).toEqual(['change left max_rpm 100 to 120']);
    expect(changed.resources[0]).toMatchObject({ fields: ['max_rpm'], stopsMotion: false });
    expect(changed.summary).toBe('left: max_rpm 100 to 120');
  });

  it('rebuilds for an attribute that cannot change in place, and for that alone', () => {
    const changed = plan(bench(motor('right')), {
      components: [board(), motor('left', { max_rpm: 120, dir_flip: true }), motor('right')],
    });
    expect(lines(changed)).toEqual(['rebuild left max_rpm 100 to 120, dir_flip set to true (stops)']);
  });

  it('says of an object what differs in it, and not the whole of it', () => {
    const withPins = (pins: Record<string, string>): object => ({ components: [board(), motor('left', { pins })] });
    const before = { a: '11', b: '13', pwm: '12' };
    expect(plan(withPins(before), withPins({ ...before, a: '16' })).summary).toBe('left: pins.a 11 to 16');
    expect(plan(withPins(before), withPins({ a: '16', b: '18', pwm: '12' })).summary).toBe(
      'left: pins.a 11 to 16, pins.b 13 to 18',
    );
  });

  it('says which named entries of a list were added, removed and changed', () => {
    const tap = (name: string, pin = '1') => ({ name, pin });
    const withTaps = (...taps: ReturnType<typeof tap>[]): object => ({
      components: [board(), motor('left', taps.length === 0 ? {} : { taps })],
    });
    const before = withTaps(tap('a'), tap('b'));
    expect(plan(withTaps(), before).summary).toBe('left: taps: added a, b');
    expect(plan(before, withTaps(tap('b', '2'), tap('c'))).summary).toBe('left: taps: added c; removed a; changed b');
  });

  it('level and notes rebuild nothing', () => {
    const more = { log_configuration: { level: 'Debug' }, notes: 'squeaks' };
    expect(lines(plan(bench(), { components: [board(), motor('left', {}, more)] }))).toEqual([
      'change left log level usual to debug, notes changed',
    ]);
  });

  it('sees no change in moved lines, other places in the list, or warnings', () => {
    expect(plan(bench(), { components: [motor(), { ...board(), typo: 1 }] }).resources).toEqual([]);
  });

  it('rebuilds the dependents of what is rebuilt, each with the reason', () => {
    const chain = (token: string): object => ({
      components: [{ ...sensor('top'), depends_on: ['left'] }, motor(), board('bench', { fail_new: token === 'a' })],
    });
    expect(lines(plan(chain('a'), chain('b')))).toEqual([
      'rebuild bench fail_new true to false',
      'rebuild left its board bench is rebuilt (stops)',
      'rebuild top its motor left is rebuilt',
    ]);
  });

  it('rebuilds dependents of what is removed, added and disabled; only running ones stop', () => {
    const without = { components: [motor()] };
    const disabled = { components: [{ ...board(), disabled: true }, motor()] };
    expect(lines(plan(bench(), without))).toEqual([
      'remove bench removed',
      'rebuild left its board bench is removed (stops)',
    ]);
    expect(lines(plan(without, bench()))).toEqual(['add bench added', 'rebuild left its board bench is added']);
    expect(lines(plan(bench(), disabled))).toEqual([
      'rebuild bench disabled',
      'rebuild left its board bench is disabled (stops)',
    ]);
    expect(lines(plan(disabled, bench()))).toEqual([
      'rebuild bench enabled',
      'rebuild left its board bench is rebuilt',
    ]);
  });

  it('rebuilds a running resource whose optional dependency appears', () => {
    const watching = motor('left', { watch: 'heat' });
    expect(lines(plan({ components: [board(), watching] }, { components: [board(), watching, sensor()] }))).toEqual([
      'add heat added',
      'rebuild left its sensor heat is added (stops)',
    ]);
  });

  it('leaves dependents alone where the dependency changes in place', () => {
    const chain = (rpm: number): object => bench2(motor('left', { max_rpm: rpm }));
    const bench2 = (left: object): object => ({ components: [board(), left, { ...sensor(), depends_on: ['left'] }] });
    expect(lines(plan(chain(100), chain(90)))).toEqual(['change left max_rpm 100 to 90']);
  });

  it('builds again what had an error and says what the error is', () => {
    const wrong = { components: [board(), motor('left', { max_rpm: -1 })] };
    const [broken] = lines(plan(bench(), wrong));
    expect(broken).toMatch(
      /^rebuild left max_rpm 100 to -1, it has a problem: component "left": max_rpm is -1.* \(stops\)$/,
    );
    expect(lines(plan(wrong, bench()))).toEqual(['rebuild left max_rpm -1 to 100, its error is gone']);
  });

  it('takes a renamed resource for another one, and says that it is renamed', () => {
    expect(lines(plan(bench(), { components: [board(), motor('right')] }))).toEqual([
      'remove left renamed to right (stops)',
      'add right settings unchanged',
    ]);
  });

  it('sums up a rename with what follows it, and counts it beside other changes', () => {
    const top = { ...sensor('top'), depends_on: ['left'] };
    const from = bench(motor('right'), top);
    const desk = {
      components: [board('desk'), motor('left', { board: 'desk' }), motor('right', { board: 'desk' }), top],
    };
    const renamed = plan(from, desk);
    expect(renamed.summary).toBe('bench → desk, 2 references follow');
    expect(lines(renamed)).toEqual([
      'remove bench renamed to desk',
      'add desk settings unchanged',
      'rebuild left board bench → desk (stops)',
      'rebuild right board bench → desk (stops)',
      'rebuild top its motor left is rebuilt',
    ]);
    const port = {
      components: [board(), motor('port'), motor('right', { max_rpm: 1 }), { ...top, depends_on: ['port'] }],
    };
    expect(plan(from, port).summary).toBe('1 renamed, 1 changed in place, 1 rebuilt');
    const faster = {
      components: [board(), motor('port', { max_rpm: 1 }), motor('right'), { ...top, depends_on: ['port'] }],
    };
    expect(plan(from, faster).summary).toBe('left → port: max_rpm 100 to 1');
  });

  it('masks secrets in reasons', () => {
    const withToken = (token: string): object => ({ components: [board('bench', { token })] });
    expect(lines(plan(withToken('old'), withToken('new')))).toEqual(['rebuild bench token changed (***)']);
    const fromEnvironment = plan(
      { components: [sensor('s', { readings: { a: 'x' } })] },
      { components: [sensor('s', { readings: { a: '${environment.HOME}' } })] },
    );
    expect(lines(fromEnvironment)).toEqual(['rebuild s readings changed (***)']);
  });
});

describe('modules', () => {
  const module = (more: object = {}): object => ({
    modules: [{ name: 'm', type: 'registry', module_id: 'acme:drives', version: '1.2.3', ...more }],
  });
  const reasons = ({ modules }: Plan): readonly string[] =>
    modules.map((change) => `${change.kind} ${change.name}${'reason' in change ? ` ${change.reason}` : ''}`);

  it.each([
    [{ version: '1.2.4' }, ['restart m version 1.2.3 to 1.2.4']],
    [{ env: { KEY: 'one' } }, ['restart m env KEY set (***)']],
    [{ disabled: true }, ['restart m disabled: it is stopped']],
    [{ notes: 'x' }, ['change m notes changed']],
    [{ log_level: 'warn' }, ['change m log level usual to warn']],
    [{ log_level: 'debug' }, ['change m log level usual to debug (the module sends more only after it is restarted)']],
    [{ module_id: '' }, [expect.stringMatching(/^restart m module_id .* it has a problem: /)]],
  ])('%j', (more, expected) => {
    expect(reasons(plan(module(), module(more)))).toEqual(expected);
  });

  it('masks secrets inside of a value', () => {
    const first = module({ first_run: { token: 'old', list: [{ password: 'old' }], at: 1 } });
    const then = module({ first_run: { token: 'new', list: [{ password: 'new' }], at: 2 } });
    expect(reasons(plan(first, then)).join()).not.toMatch(/old|new/);
    expect(reasons(plan(first, then)).join()).toContain('first_run.token changed (***)');
  });

  it('adds and removes', () => {
    expect(reasons(plan({}, module()))).toEqual(['add m']);
    expect(reasons(plan(module(), {}))).toEqual(['remove m']);
  });

  it('rebuilds the resources of a module that restarts, and no others', () => {
    const components = [{ name: 'd', api: 'core:component:motor', model: 'acme:drives:servo' }, board()];
    expect(lines(plan({ ...module(), components }, { ...module({ version: '2.0.0' }), components }))).toEqual([
      'rebuild d its module m restarts (stops)',
    ]);
    expect(lines(plan({ ...module(), components }, { ...module({ log_level: 'debug' }), components }))).toEqual([]);
  });
});

describe('a model that a module serves', () => {
  let inPlace: CatalogEntry['inPlace'] = 'all';
  let needs: readonly string[] = [];
  const served: CatalogEntry = {
    ...fixtureCatalog.find('core:component:motor', 'core:builtin:gpio')!,
    model: 'acme:drives:servo',
    module: 'm',
    schema: {},
    get inPlace() {
      return inPlace;
    },
    dependencies: () => ({ required: needs, optional: [] }),
  };
  const catalog: ModelCatalog = {
    ...fixtureCatalog,
    find: (api, model) => (model === served.model ? served : fixtureCatalog.find(api, model)),
  };
  const drive = (attributes: object): object => ({
    modules: [{ name: 'm', type: 'registry', module_id: 'acme:drives', version: '1.2.3' }],
    components: [{ name: 'd', api: 'core:component:motor', model: served.model, attributes }, board()],
  });
  const changes = (from: object, to: object): readonly string[] =>
    lines(planChange(configOf(from), configOf(to), catalog));

  it('says that a change may be taken in place, and that it may stop', () => {
    expect(changes(drive({ speed: 1 }), drive({ speed: 2 }))).toEqual([
      'change d speed 1 to 2 (in place where its module can, else it is built again) (stops)',
    ]);
    inPlace = [];
    expect(changes(drive({ speed: 1 }), drive({ speed: 2 }))).toEqual(['rebuild d speed 1 to 2 (stops)']);
    inPlace = 'all';
  });

  it('orders by what it was last told to need, and rebuilds with that', () => {
    needs = ['bench'];
    const [first, second] = planChange(undefined, configOf(drive({})), catalog).resources;
    expect([first?.name, second?.name]).toEqual(['core:component:board/bench', 'core:component:motor/d']);
    needs = [];
  });

  it('is rebuilt when its module restarts', () => {
    const restarted = {
      ...drive({}),
      modules: [{ name: 'm', type: 'registry', module_id: 'acme:drives', version: '2.0.0' }],
    };
    expect(changes(drive({}), restarted)).toEqual(['rebuild d its module m restarts (stops)']);
  });
});

describe('settings', () => {
  it.each([
    [{ debug: true }, 'debug', 'debug false to true', false],
    [
      { disable_log_deduplication: true },
      'disable_log_deduplication',
      'disable_log_deduplication false to true',
      false,
    ],
    [{ enable_web_profile: true }, 'enable_web_profile', 'enable_web_profile false to true', false],
    [{ log: [{ pattern: 'core.*', level: 'warn' }] }, 'log', 'log: core.* warn added', false],
    [{ network: { bind_address: ':0' } }, 'network.bind_address', 'bind_address localhost:8080 to :0', true],
    [{ network: { no_tls: true } }, 'network.no_tls', 'no_tls false to true', true],
    [
      { network: { sessions: { heartbeat_window: '5s' } } },
      'network.sessions.heartbeat_window',
      'sessions.heartbeat_window 2s to 5s',
      false,
    ],
    [
      { maintenance: { sensor_name: 'rdk:component:sensor/heat', maintenance_allowed_key: 'ok' } },
      'maintenance',
      'maintenance none to core:component:sensor/heat ok',
      false,
    ],
    [{ triggers: [{ name: 'hot' }, {}] }, 'triggers', 'triggers: added hot, #2', false],
    [
      { auth: { handlers: [{ type: 'api-key', config: { k1: 'sesame', keys: ['k1'] } }] } },
      'auth',
      'auth: every caller needs a key, key k1 added (***)',
      false,
    ],
  ])('%j is a change by itself', (to, key, reason, needsRestart) => {
    const changed = plan({}, to);
    expect(changed.settings).toEqual([{ key, reason, needsRestart }]);
    expect(changed.summary).toBe(reason);
    expect(plan(to, to).settings).toEqual([]);
  });

  it('says which triggers changed', () => {
    const [hot, cold] = [{ name: 'hot' }, { name: 'cold' }];
    const summary = (from: readonly object[], to: readonly object[]) =>
      plan({ triggers: from }, { triggers: to }).summary;
    expect(summary([hot, cold], [{ ...hot, notes: 'x' }])).toBe('triggers: removed cold; changed hot');
    expect(summary([hot, cold], [cold, hot])).toBe('triggers: another order');
  });

  it('does not take a new revision for a change', () => {
    expect(plan({ revision: 'a' }, { revision: 'b' }).summary).toBe('no changes');
  });

  it('counts in the summary where there is more than one change', () => {
    expect(plan(bench(), { components: [board(), motor('left', { max_rpm: 1 }), sensor()], debug: true }).summary).toBe(
      '1 added, 1 changed in place, 1 setting',
    );
  });
});

const names = ['a', 'b', 'c', 'd'];
const someComponent = fc.record(
  {
    name: fc.constantFrom(...names),
    kind: fc.constantFrom('board', 'motor', 'sensor'),
    rpm: fc.integer({ min: -1, max: 3 }),
    needs: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
    disabled: fc.boolean(),
    notes: fc.constantFrom('', 'x'),
  },
  { requiredKeys: ['name', 'kind', 'rpm', 'needs'] },
);
const someConfig: fc.Arbitrary<MachineConfig> = fc.array(someComponent, { maxLength: 8 }).map((entries) =>
  configOf({
    components: entries.map(({ name, kind, rpm, needs, ...more }) => ({
      ...(kind === 'motor'
        ? motor(name, { board: needs[0] ?? 'a', max_rpm: rpm })
        : kind === 'board'
          ? board(name)
          : sensor(name, { readings: rpm })),
      depends_on: needs,
      ...more,
    })),
  }),
);

describe('for any two configurations', () => {
  it('the plan from one to itself is empty', () => {
    fc.assert(
      fc.property(someConfig, (config) => {
        const { resources, modules, settings, summary } = planChange(config, config, fixtureCatalog);
        expect([resources, modules, settings, summary]).toEqual([[], [], [], 'no changes']);
      }),
    );
  });

  it('carrying out the changes makes one into the other, each resource once', () => {
    fc.assert(
      fc.property(fc.option(someConfig, { nil: undefined }), someConfig, (from, to) => {
        const { resources } = planChange(from, to, fixtureCatalog);
        const held = new Map((from?.resources ?? []).map((resource) => [resource.fullName, resource]));
        for (const change of resources) {
          if (change.kind === 'add') expect(held.has(change.name)).toBe(false);
          else expect(held.get(change.name)).toBe(change.from);
          if (change.kind === 'remove') held.delete(change.name);
          else held.set(change.name, change.to);
        }
        expect(new Set(resources.map((change) => change.name)).size).toBe(resources.length);
        const bare = (list: Iterable<MachineConfig['resources'][number]>): unknown[] =>
          [...list]
            .toSorted((a, b) => (a.fullName < b.fullName ? -1 : 1))
            .map(({ pointer: _, problems, ...rest }) => ({
              ...rest,
              errors: problems.filter((p) => p.severity === 'error').map((p) => p.message),
            }));
        expect(bare(held.values())).toEqual(bare(to.resources));
      }),
    );
  });

  it('nothing is built before what it needs, nor removed before what needs it', () => {
    const someOrder = fc
      .uniqueArray(fc.record({ name: fc.constantFrom(...names), needs: fc.subarray(names) }), {
        selector: ({ name }) => name,
      })
      .map((entries) =>
        configOf({
          components: entries.map(({ name, needs }) => ({
            ...sensor(name),
            depends_on: needs.filter((need) => need < name),
          })),
        }),
      );
    fc.assert(
      fc.property(fc.option(someOrder, { nil: undefined }), someOrder, (from, to) => {
        const { resources } = planChange(from, to, fixtureCatalog);
        const place = new Map(resources.map((change, index) => [change.name.split('/')[1], index]));
        resources.forEach((change, index) => {
          const isRemoval = change.kind === 'remove';
          for (const need of (isRemoval ? change.from : change.to).dependsOn) {
            const at = place.get(need);
            if (at === undefined || (resources[at]?.kind === 'remove') !== isRemoval) continue;
            if (isRemoval) expect(at).toBeGreaterThan(index);
            else expect(at).toBeLessThan(index);
          }
        });
      }),
    );
  });
});
