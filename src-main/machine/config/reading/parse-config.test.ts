import { describe, expect, it } from 'vitest';
import { board, configOf, motor, parse, sensor, partsPackage } from '../config.fixture.ts';
import { LARGEST_CONFIG_BYTES } from './parse-config.ts';
import type { ParsedConfig } from '../machine-config.ts';

/** `line:column severity code pointer` of each problem. */
function places(parsed: ParsedConfig): readonly string[] {
  return parsed.problems.map((p) => `${p.line}:${p.column} ${p.severity} ${p.code} ${p.pointer}`);
}

const codes = (parsed: ParsedConfig): readonly string[] => parsed.problems.map((p) => p.code);

const MOTOR_LINES = [
  '{',
  '  "components": [',
  '    {"name": "bench", "api": "core:component:board", "model": "fake"},',
  '    {"name": "left", "api": "core:component:motor", "model": "gpio",',
  '     "attributes": {"board": "bench", "pins": {"a": "1", "b": "2"},',
  '       EXTRA}}',
  '  ]',
  '}',
];
const withMotor = (extra: string): string => MOTOR_LINES.join('\n').replace('EXTRA', extra);

describe('text', () => {
  it.each([
    ['', '1:1 error config.syntax '],
    ['{"a": 1,}', '1:8 error config.syntax '],
    ['{\n  "components": [1,\n  ]\n}', '2:19 error config.syntax '],
    ['{\n  // a motor\n  "debug": true\n}', '2:3 error config.syntax '],
    ['{"debug": true /* on */}', '1:16 error config.syntax '],
    ['{"debug": True}', '1:11 error config.syntax '],
    ["{'debug': true}", '1:2 error config.syntax '],
    ['{"debug": true', '1:15 error config.syntax '],
    ['{"debug" true}', '1:10 error config.syntax '],
    ['{"debug": true "log": []}', '1:16 error config.syntax '],
    ['{"debug": true}\r\n{}', '2:1 error config.syntax '],
    ['\uFEFF{"debug": tru}', '1:11 error config.syntax '],
    ['[]', '1:1 error config.wrong_type '],
    ['null', '1:1 error config.wrong_type '],
  ])('%j has its fault at the place of the mistake and is not applied', (text, first) => {
    const parsed = parse(text);
    expect(places(parsed)[0]).toBe(first);
    expect(parsed.config).toBeUndefined();
  });

  it('says what to do about trailing commas, comments and words of other languages', () => {
    const say = (text: string): string => parse(text).problems[0]?.message ?? '';
    expect(say('{"a": 1,}')).toContain('comma before "}" must go');
    expect(say('{} // x')).toContain('no comments');
    expect(say('{"debug": True}')).toContain('write true');
    expect(say("{'debug': true}")).toContain('double quotes');
  });

  it('reports every trailing comma and comment of a text at once', () => {
    expect(places(parse('{"a": [1,], // one\n "b": {"c": 1,}}'))).toEqual([
      '1:9 error config.syntax ',
      '1:13 error config.syntax ',
      '2:14 error config.syntax ',
    ]);
  });

  it('flags the second of two equal keys, on the entry that has them', () => {
    const parsed = parse(withMotor('"max_rpm": 1,\n       "max_rpm": 2'));
    expect(places(parsed)).toEqual(['7:8 error config.duplicate_key /components/1/attributes/max_rpm']);
    expect(parsed.config?.resources.map((one) => one.problems.length)).toEqual([0, 1]);
  });

  it('does not apply a document with a top-level key twice, which would drop half of it', () => {
    const parsed = parse('{"components": [],\n "components": []}');
    expect(places(parsed)).toEqual(['2:2 error config.duplicate_key /components']);
    expect(parsed.config).toBeUndefined();
  });

  it('fails only the entry with a number beyond what numbers hold', () => {
    const parsed = parse(withMotor('"max_rpm": 1e999'));
    expect(codes(parsed)).toContain('config.number_range');
    expect(parsed.config?.resources.map((one) => one.problems.length > 0)).toEqual([false, true]);
  });

  it('refuses what is nested without end', () => {
    const parsed = parse('['.repeat(500_000));
    expect(codes(parsed)).toContain('config.too_deep');
    expect(parsed.config).toBeUndefined();
  });

  it('refuses more than 32 MiB unread', () => {
    const parsed = parse(`{"notes": "${'x'.repeat(LARGEST_CONFIG_BYTES)}"}`);
    expect(codes(parsed)).toEqual(['config.too_large']);
    expect(parsed.config).toBeUndefined();
  });

  it('reads 10 MB of components, each with a problem, without stalling', () => {
    const components = Array.from({ length: 40_000 }, (_, index) =>
      motor(`m${index}`, { board: `bord${index}`, notes_of_mine: 'x'.repeat(60) }),
    );
    const parsed = parse({ components });
    expect(parsed.config?.resources).toHaveLength(40_000);
    expect(parsed.text.length).toBeGreaterThan(10_000_000);
    expect(parsed.problems).toHaveLength(80_000);
  }, 30_000);

  it('reads thousands of modules and of models that none of them has without stalling', () => {
    const modules = Array.from({ length: 3_000 }, (_, index) => ({
      name: `m${index}`,
      type: 'registry',
      module_id: `acme${index}:mod${index}`,
      version: 'latest',
    }));
    const components = Array.from({ length: 3_000 }, (_, index) => ({
      name: `c${index}`,
      api: 'core:component:motor',
      model: `bcme${index}:mod${index}:x`,
    }));
    const { problems } = parse({ modules, components });
    expect(problems).toHaveLength(3_000);
    expect(problems[0]).toMatchObject({ code: 'config.no_module', nearest: 'acme0:mod0' });
    expect(JSON.stringify(problems).length).toBeLessThan(10_000_000);
  });
});

describe('keys', () => {
  it('warns of unknown keys with the nearest one, at the key', () => {
    const parsed = parse('{\n  "componets": [],\n  "zzz": 1\n}');
    expect(places(parsed)).toEqual([
      '2:3 warning config.unknown_key /componets',
      '3:3 warning config.unknown_key /zzz',
    ]);
    expect(parsed.problems.map((p) => p.nearest)).toEqual(['components', undefined]);
    expect(parsed.config).toBeDefined();
  });

  it('honours a key that differs in case only, with a warning', () => {
    const parsed = parse({ Components: [{ Name: 'bench', API: 'core:component:board', model: 'fake' }] });
    expect(codes(parsed)).toEqual(['config.key_case', 'config.key_case', 'config.key_case']);
    expect(parsed.config?.resources[0]?.fullName).toBe('core:component:board/bench');
  });

  it('prefers the exact key where both are there', () => {
    const parsed = parse({ Debug: false, debug: true });
    expect(parsed.config?.debug).toBe(true);
    expect(codes(parsed)).toEqual(['config.key_case']);
  });

  it('tells of each known but unsupported key once', () => {
    const frame = { parent: 'world' };
    const parsed = parse({
      processes: [],
      fragments: [],
      components: [
        { ...board('a'), frame },
        { ...board('b'), frame },
      ],
    });
    expect(places(parsed).map((place) => place.replace(/^\S+ /, ''))).toEqual([
      'warning config.unsupported_key /processes',
      'warning config.unsupported_key /fragments',
      'warning config.unsupported_key /components/0/frame',
    ]);
    expect(parsed.problems[2]?.message).toContain('1 more place');
  });

  it('disabled and notes are beside the attributes', () => {
    const [entry] = configOf({ components: [{ ...board(), disabled: true, notes: 'on the shelf' }] }).resources;
    expect(entry).toMatchObject({ isDisabled: true, notes: 'on the shelf', attributes: {} });
  });

  it('takes null for absent', () => {
    const parsed = parse({
      components: null,
      network: null,
      log: null,
      services: [{ api: 'acme:service:x', name: null }],
    });
    expect(codes(parsed)).toEqual(['config.unknown_api']);
    expect(parsed.config?.resources[0]?.name).toBe('builtin');
  });
});

describe('names', () => {
  const only = (entry: object, list = 'components'): ReturnType<typeof configOf>['resources'][number] | undefined =>
    configOf({ [list]: [entry] }).resources[0];

  it.each([
    [{ name: 'm', api: 'rdk:component:motor', model: 'rdk:builtin:gpio' }, 'core:component:motor/m'],
    [{ name: 'm', api: 'core:component:motor', model: 'gpio' }, 'core:component:motor/m'],
    [{ name: 'm', type: 'motor', model: 'gpio' }, 'core:component:motor/m'],
    [{ name: 'm', namespace: 'rdk', type: 'motor', model: 'gpio' }, 'core:component:motor/m'],
    [{ name: 'm', namespace: 'acme', type: 'gizmo', model: 'acme:x:y' }, 'acme:component:gizmo/m'],
    [
      { name: 'm', api: { namespace: 'rdk', type: 'component', subtype: 'motor' }, model: 'gpio' },
      'core:component:motor/m',
    ],
    [{ name: 'm', api: { subtype: 'motor' }, model: 'gpio' }, 'core:component:motor/m'],
  ])('reads %j', (entry, name) => {
    expect(only(entry)?.fullName).toBe(name);
  });

  it('one word is a model that is built in', () => {
    expect(only({ name: 'm', type: 'motor', model: 'gpio' })?.model).toBe('core:builtin:gpio');
    expect(only({ name: 'm', type: 'motor', model: 'rdk:builtin:gpio' })?.model).toBe('core:builtin:gpio');
  });

  it('calls a service without a name builtin, with the model builtin', () => {
    expect(only({ api: 'core:service:motion' }, 'services')).toMatchObject({
      fullName: 'core:service:motion/builtin',
      model: 'core:builtin:builtin',
    });
  });

  it.each(['', ':', 'a:b', 'a+b', '-a', 'a b', 'ä', 'x'.repeat(61)])('refuses the name %j', (name) => {
    const parsed = parse({ components: [board(name)] });
    expect(parsed.problems[0]?.severity).toBe('error');
    expect(parsed.problems[0]?.pointer).toBe('/components/0/name');
  });

  it('keeps the first of two with one name and flags the second', () => {
    const parsed = parse({
      components: [board('a', { fail_new: false }), sensor('a'), board('a', { fail_new: true })],
    });
    expect(parsed.config?.resources.map((one) => one.fullName)).toEqual([
      'core:component:board/a',
      'core:component:sensor/a',
    ]);
    expect(parsed.config?.resources[0]).toMatchObject({ attributes: { fail_new: false }, problems: [] });
    expect(parsed.problems.map((p) => [p.code, p.pointer])).toEqual([['config.duplicate_name', '/components/2']]);
  });

  it('tells which models and which APIs there are', () => {
    const model = parse({ components: [{ ...motor(), model: 'gpoi' }] }).problems[0];
    expect(model).toMatchObject({
      code: 'config.unknown_model',
      severity: 'error',
      pointer: '/components/0/model',
      nearest: 'gpio',
      allowed: ['gpio'],
    });
    const api = parse({ components: [{ ...motor(), api: 'core:component:moter' }] }).problems[0];
    expect(api).toMatchObject({
      code: 'config.unknown_api',
      pointer: '/components/0/api',
      nearest: 'core:component:motor',
    });
    expect(api?.line).toBeGreaterThan(0);
  });

  it('a model of a configured module is no problem, one of no module waits', () => {
    const drive = { name: 'd', api: 'core:component:motor', model: 'acme:drives:servo' };
    const module = { name: 'm', type: 'registry', module_id: 'acme:drives', version: 'latest' };
    expect(parse({ components: [drive], modules: [module] }).problems).toEqual([]);
    const [waits] = parse({ components: [drive], modules: [{ ...module, module_id: 'acme:drivs' }] }).problems;
    expect(waits).toMatchObject({ code: 'config.no_module', severity: 'warning', nearest: 'acme:drivs' });
    const anonymous = parse({ components: [drive], modules: [{ name: 'm', executable_path: '/x' }] });
    expect(anonymous.problems).toEqual([]);
    expect(anonymous.config?.modules).toMatchObject([{ type: 'local', moduleId: '', version: '' }]);
  });

  it('guesses at an API by its last word, and at a name by those of others', () => {
    const told = (type: string): string | undefined =>
      parse({ components: [{ name: 'x', api: `rdk:component:${type}`, model: 'fake' }] }).problems[0]?.message;
    expect(told('arm')).toBe(
      'component "x": nothing that is built in has the API core:component:arm; a module may bring a model for it.',
    );
    expect(told('moter')).toContain('(did you mean core:component:motor?)');
    const [missing] = parse({ components: [{ ...sensor('mock6'), depends_on: ['mock1'] }] }).problems;
    expect(missing?.message).toBe('component "mock6" waits for "mock1", which is not in the configuration.');
  });
});

describe('attributes', () => {
  it.each([
    ['"max_rpm": "fast"', '6:19 error attribute.wrong_type /components/1/attributes/max_rpm'],
    ['"max_rpm": 0', '6:19 error attribute.out_of_range /components/1/attributes/max_rpm'],
    ['"max_power_pct": 0.05', '6:25 error attribute.out_of_range /components/1/attributes/max_power_pct'],
    ['"style": "sofd"', '6:17 error attribute.not_allowed /components/1/attributes/style'],
    ['"max_rmp": 3', '6:8 warning attribute.unknown /components/1/attributes/max_rmp'],
    ['"board": "x"', '6:8 error config.duplicate_key /components/1/attributes/board'],
  ])('says what is wrong with %s and where', (extra, place) => {
    expect(places(parse(withMotor(extra)))).toEqual([place]);
  });

  it('warns of an unknown attribute with the nearest one, and builds the resource all the same', () => {
    const parsed = parse(withMotor('"max_rmp": 3'));
    expect(parsed.problems[0]).toMatchObject({ nearest: 'max_rpm', severity: 'warning' });
    expect(parsed.config?.resources[1]?.problems.some((p) => p.severity === 'error')).toBe(false);
  });

  it('names value, range and nearest value', () => {
    expect(parse(withMotor('"max_power_pct": 2')).problems[0]).toMatchObject({
      message: 'component "left": max_power_pct is 2: it must be from 0.06 to 1.',
      found: '2',
      allowed: ['from 0.06 to 1'],
    });
    expect(parse(withMotor('"style": "sofd"')).problems[0]).toMatchObject({
      nearest: 'soft',
      allowed: ['soft', 'hard'],
    });
  });

  it('points at the attributes, or else the entry, where something is missing', () => {
    const missing = (entry: object): string[] =>
      parse({ components: [entry] }).problems.map((p) => `${p.code} ${p.missing} ${p.pointer}`);
    expect(missing({ ...motor(), attributes: { pins: {} } })).toEqual([
      'attribute.missing board /components/0/attributes',
    ]);
    const bare = { ...motor(), attributes: undefined };
    expect(missing(bare)).toEqual(['attribute.missing board /components/0', 'attribute.missing pins /components/0']);
    expect(missing(board())).toEqual([]);
    expect(missing({ ...board(), name: undefined })).toEqual(['config.missing_key name /components/0']);
    expect(missing({ ...board(), name: '' })).toEqual(['config.missing_key undefined /components/0/name']);
  });

  it('applies the rules a schema cannot say', () => {
    const [problem] = parse({ components: [board(), motor('left', { pins: { a: '1', dir: '2' } })] }).problems;
    expect(problem).toMatchObject({
      code: 'motor.pins',
      pointer: '/components/1/attributes/pins/dir',
      found: '"2"',
    });
  });

  it('says one thing about a value that has one of several forms', () => {
    const about = (wave: string | number | object): string[] =>
      parse({ components: [{ ...sensor(), attributes: { wave } }] }).problems.map((p) => `${p.code} ${p.pointer}`);
    expect(about({ sine: 1 })).toEqual([]);
    expect(about({ sine: 'x' })).toEqual(['attribute.wrong_type /components/0/attributes/wave/sine']);
    expect(about(7)).toEqual(['attribute.no_form /components/0/attributes/wave']);
  });

  it('a wrong entry leaves its neighbours alone', () => {
    const { config } = parse({ components: [board(), motor('bad', { max_rpm: 'x' }), 7, { name: 3 }, motor('good')] });
    expect(config?.resources.map((one) => [one.name, one.problems.length])).toEqual([
      ['bench', 0],
      ['bad', 1],
      ['good', 0],
    ]);
  });
});

describe('packages', () => {
  it('are what resources name by placeholders, with the folders that they will be in', () => {
    const { config, problems } = parse({
      packages: [partsPackage],
      components: [board(), sensor('s', { readings: { where: '${packages.ml_model.parts}/parts.onnx' } })],
    });
    expect(problems).toEqual([]);
    expect(config?.packages).toMatchObject([{ ...partsPackage, pointer: '/packages/0', problems: [] }]);
    expect(config?.resources.map(({ packages }) => packages)).toEqual([undefined, ['parts']]);
  });

  it.each([
    [{ package: 'parts' }, 'config.bad_package'],
    [{ package: undefined }, 'config.missing_key'],
    [{ type: 'module' }, 'config.not_allowed'],
    [{ version: '' }, 'config.missing_key'],
    [{ version: 'a b' }, 'config.bad_version'],
    [{ status: { error: 'no such package' } }, 'package.rejected'],
  ])('one with %j is an error of it alone', (change, code) => {
    const { config, problems } = parse({ packages: [{ ...partsPackage, ...change }], components: [board()] });
    expect(problems.map((one) => one.code)).toEqual([code]);
    expect(config?.packages[0]?.problems).toHaveLength(1);
    expect(config?.resources[0]?.problems).toEqual([]);
  });

  it('of one name are kept once', () => {
    const { config, problems } = parse({ packages: [partsPackage, { ...partsPackage, version: '2.0.0' }] });
    expect(problems).toMatchObject([{ code: 'config.duplicate_name', pointer: '/packages/1' }]);
    expect(config?.packages.map(({ version }) => version)).toEqual(['1.0.0']);
  });
});

describe('placeholders', () => {
  it('are replaced inside text values only, and a dollar sign elsewhere stays', () => {
    const text =
      '{"packages": [{"name": "parts", "package": "org-1/parts", "type": "ml_model", "version": "latest"}], "components": [{"name": "s", "type": "sensor", "model": "fake", "attributes": {"readings": {"${environment.BOARD}": ["a $ b", "${environment.BOARD}/$BOARD", "${packages.ml_model.parts}/x", "${packages.parts}"]}}}]}';
    const { config, problems } = parse(text);
    expect(problems).toEqual([]);
    expect(config?.resources[0]?.attributes).toEqual({
      readings: { '${environment.BOARD}': ['a $ b', 'bench/$BOARD', '/pkg/parts/x', '/pkg/parts'] },
    });
  });

  it.each([
    ['${environment.BORD}', 'placeholder.unset', 'error', 'BOARD'],
    ['${environment.}', 'placeholder.malformed', 'error', undefined],
    ['${packages.module.parts}', 'placeholder.package_type', 'error', undefined],
    ['${packages.ml_model.part}', 'placeholder.no_package', 'error', 'parts'],
    ['${whatever}', 'placeholder.not_in_file', 'warning', undefined],
    ['${what ever}', 'placeholder.unknown', 'warning', undefined],
  ])('%s is a problem of its entry alone, which says the key', (text, code, severity, nearest) => {
    const components = [board(), sensor('s', { readings: { where: text } })];
    const { config, problems } = parse({ packages: [partsPackage], components });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code, severity, pointer: '/components/1/attributes/readings/where' });
    expect(problems[0]?.nearest).toBe(nearest);
    expect(problems[0]?.message).toContain('attributes.readings.where');
    expect(config?.resources.map((one) => one.problems.length)).toEqual([0, 1]);
  });

  it("are replaced in a module's env and executable_path, and in nothing a name is made of", () => {
    const { modules } = configOf({
      modules: [
        {
          name: 'm',
          type: 'local',
          module_id: 'a:b',
          version: '1.0.0',
          executable_path: '${environment.HOME}/run',
          env: { X: '<${environment.EMPTY}>' },
        },
      ],
    });
    expect(modules[0]).toMatchObject({ executablePath: '/home/one/run', env: { X: '<>' }, problems: [] });
    expect(modules[0]?.raw).toMatchObject({ executable_path: '/home/one/run', env: { X: '<>' } });
    expect(parse({ components: [board('${environment.BOARD}')] }).problems[0]?.code).toBe('config.bad_name');
  });

  it('never puts text of the environment into a problem', () => {
    const [problem] = parse({ components: [board(), motor('left', { max_rpm: '${environment.HOME}' })] }).problems;
    expect(problem).toMatchObject({ code: 'attribute.wrong_type', found: '"${environment.HOME}"' });
    expect(JSON.stringify(problem)).not.toContain('/home/one');
  });
});

describe('dependencies', () => {
  it.each([
    [{ board: 'bnch' }, {}, 'dependency.missing', '/components/1/attributes/board', 'bench'],
    [{ board: 'heat' }, {}, 'dependency.wrong_api', '/components/1/attributes/board', undefined],
    [{ board: 'spare' }, {}, 'dependency.disabled', '/components/1/attributes/board', undefined],
    [{}, { depends_on: ['bench', 'heet'] }, 'dependency.missing', '/components/1/depends_on/1', 'heat'],
    [{}, { depends_on: ['twin'] }, 'dependency.ambiguous', '/components/1/depends_on/0', undefined],
    [{}, { depends_on: ['rdk:component:sensor/bench'] }, 'dependency.missing', '/components/1/depends_on/0', 'bench'],
  ])('motor with %j %j waits: a warning, with the nearest name', (attributes, more, code, pointer, nearest) => {
    const { config, problems } = parse({
      components: [
        board(),
        motor('left', attributes, more),
        sensor(),
        { ...board('spare'), disabled: true },
        board('twin'),
        sensor('twin'),
      ],
    });
    expect(problems.map((p) => [p.code, p.severity, p.pointer, p.nearest])).toEqual([
      [code, 'warning', pointer, nearest],
    ]);
    expect(problems[0]?.message).toMatch(/component "left" waits/);
    expect(config?.resources[1]?.problems).toHaveLength(1);
  });

  it('finds full names in both spellings, and by API where a short name has namesakes', () => {
    const { problems } = parse({
      components: [
        board('twin'),
        sensor('twin'),
        motor('left', { board: 'twin' }, { depends_on: ['rdk:component:sensor/twin'] }),
      ],
    });
    expect(problems).toEqual([]);
  });

  it('names each cycle on each of its members, and only there', () => {
    const { config, problems } = parse({
      components: [
        { ...board('a'), depends_on: ['c'] },
        { ...sensor('b'), depends_on: ['a'] },
        motor('c', { board: 'a' }, { depends_on: ['b'] }),
        { ...sensor('self'), depends_on: ['self'] },
        motor('outside', { board: 'a' }),
      ],
    });
    expect(problems.map((p) => [p.pointer, /itself: (.*);/.exec(p.message)?.[1]])).toEqual([
      ['/components/0/depends_on/0', 'a -> c -> a'],
      ['/components/1/depends_on/0', 'b -> a -> c -> b'],
      ['/components/2/attributes/board', 'c -> a -> c'],
      ['/components/3/depends_on/0', 'self -> self'],
    ]);
    expect(config?.resources.find((one) => one.name === 'outside')?.problems).toEqual([]);
  });

  it('shortens a long cycle and finds it once', () => {
    const components = Array.from({ length: 3_000 }, (_, index) => ({
      ...sensor(`s${index}`),
      depends_on: [`s${(index + 1) % 3_000}`],
    }));
    const { problems } = parse({ components });
    expect(problems).toHaveLength(3_000);
    expect(problems.every((p) => p.code === 'dependency.cycle' && p.message.includes(' -> ... -> '))).toBe(true);
  });

  it('does not go round through a disabled resource', () => {
    const { problems } = parse({
      components: [
        { ...sensor('a'), depends_on: ['b'] },
        { ...sensor('b'), depends_on: ['a'], disabled: true },
      ],
    });
    expect(problems.map((p) => p.code)).toEqual(['dependency.disabled']);
  });
});
