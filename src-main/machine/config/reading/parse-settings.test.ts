import { describe, expect, it } from 'vitest';
import { board, configOf, parse, sensor } from '../config.fixture.ts';
import { SHORTEST_SURE_KEY } from './read-settings.ts';
import { revisionOf } from '../../../base/revision.ts';

const brief = (document: object): readonly string[] =>
  parse(document).problems.map((p) => `${p.severity} ${p.code} ${p.pointer}`);

describe('network', () => {
  it('has the defaults of the field', () => {
    expect(configOf({}).network).toEqual({
      fqdn: '',
      bindAddress: 'localhost:8080',
      tlsCertFile: '',
      tlsKeyFile: '',
      noTls: false,
      heartbeatWindowMs: 2_000,
      stopOnDisconnect: true,
      allowedOrigins: [],
      tunnels: [],
    });
  });

  it('is read whole', () => {
    const network = {
      fqdn: 'a.b.armature.local',
      bind_address: '[::1]:0',
      tls_cert_file: 'c',
      tls_key_file: 'k',
      no_tls: true,
      sessions: { heartbeat_window: '30ms', stop_on_disconnect: false },
      allowed_origins: ['https://bench.example', 'http://localhost:5173'],
      traffic_tunnel_endpoints: [{ port: 22 }, { port: 80, connection_timeout: '1s' }],
    };
    expect(configOf({ network }).network).toEqual({
      fqdn: 'a.b.armature.local',
      bindAddress: '[::1]:0',
      tlsCertFile: 'c',
      tlsKeyFile: 'k',
      noTls: true,
      heartbeatWindowMs: 30,
      stopOnDisconnect: false,
      allowedOrigins: ['https://bench.example', 'http://localhost:5173'],
      tunnels: [
        { port: 22, connectionTimeoutMs: 10_000 },
        { port: 80, connectionTimeoutMs: 1_000 },
      ],
    });
  });

  it.each([
    [7, 'config.wrong_type', ''],
    [{ bind_address: 'localhost' }, 'network.bad_address', '/bind_address'],
    [{ bind_address: 'localhost:65536' }, 'network.bad_address', '/bind_address'],
    [{ bind_address: 'http://x:1' }, 'network.bad_address', '/bind_address'],
    [{ bind_address: 8080 }, 'config.wrong_type', '/bind_address'],
    [{ tls_cert_file: 'c' }, 'network.half_tls', '/tls_cert_file'],
    [{ tls_key_file: 'k' }, 'network.half_tls', '/tls_key_file'],
    [{ no_tls: 'yes' }, 'config.wrong_type', '/no_tls'],
    [{ sessions: { heartbeat_window: '29ms' } }, 'network.out_of_range', '/sessions/heartbeat_window'],
    [{ sessions: { heartbeat_window: '61s' } }, 'network.out_of_range', '/sessions/heartbeat_window'],
    [{ sessions: { heartbeat_window: '2 seconds' } }, 'config.bad_duration', '/sessions/heartbeat_window'],
    [{ allowed_origins: ['*'] }, 'network.bad_origin', '/allowed_origins/0'],
    [{ allowed_origins: ['https://a.example/'] }, 'network.bad_origin', '/allowed_origins/0'],
    [{ traffic_tunnel_endpoints: [{ port: 0 }] }, 'network.out_of_range', '/traffic_tunnel_endpoints/0/port'],
  ])('%j keeps the text from being applied', (network, code, pointer) => {
    const parsed = parse({ network, components: [board()] });
    expect(parsed.problems.filter((p) => p.severity === 'error')).toMatchObject([
      { code, pointer: `/network${pointer}` },
    ]);
    expect(parsed.config).toBeUndefined();
  });
});

describe('auth', () => {
  const handler = (config: object, type = 'api-key'): object => ({ auth: { handlers: [{ type, config }] } });

  it('accepts the keys that "keys" names', () => {
    expect(configOf(handler({ one: 'k1', two: 'k2', keys: ['one', 'two'] })).auth).toEqual({
      isEnabled: true,
      apiKeys: [
        { id: 'one', key: 'k1' },
        { id: 'two', key: 'k2' },
      ],
    });
    expect(configOf({}).auth).toEqual({ isEnabled: false, apiKeys: [] });
    expect(configOf({ auth: {} }).auth.isEnabled).toBe(false);
  });

  it.each([
    [handler({ one: 'k1' }), 'auth.no_keys'],
    [handler({ one: 'k1', keys: [] }), 'auth.no_keys'],
    [handler({ keys: ['one'] }), 'auth.no_key'],
    [handler({ one: '', keys: ['one'] }), 'auth.no_key'],
    [handler({ keys: ['keys'] }), 'auth.no_key'],
    [handler({ one: 'k1', keys: ['one'] }, 'robot-secret'), 'auth.unknown_handler'],
    [{ auth: { handlers: [{ config: { a: 'k'.repeat(SHORTEST_SURE_KEY), keys: ['a'] } }] } }, 'config.missing_key'],
    [{ auth: { handlers: [{ type: 'api-key' }] } }, 'config.missing_key'],
    [{ auth: { handlers: {} } }, 'config.wrong_type'],
    [{ auth: [] }, 'config.wrong_type'],
  ])('%j keeps the text from being applied: half of it must never open the machine', (document, code) => {
    const parsed = parse(document);
    expect(parsed.problems.map((p) => p.code)).toEqual([code]);
    expect(parsed.config).toBeUndefined();
  });

  it('refuses a second handler', () => {
    const one = { type: 'api-key', config: { a: 'k'.repeat(SHORTEST_SURE_KEY), keys: ['a'] } };
    expect(brief({ auth: { handlers: [one, one] } })).toEqual(['error auth.duplicate_handler /auth/handlers/1/type']);
  });

  it('tells of a key that is not named, and never shows one', () => {
    const parsed = parse(handler({ one: 'sesame', two: 7, keys: ['one', 'two'], rest: 'sesame' }));
    expect(parsed.problems.map((p) => p.code).sort()).toEqual(['auth.no_key', 'auth.short_key', 'auth.unlisted_key']);
    expect(JSON.stringify(parsed.problems)).not.toContain('sesame');
  });

  it('warns of a key that could be guessed, at the key, and takes it all the same', () => {
    const short = 'k'.repeat(SHORTEST_SURE_KEY - 1);
    const document = handler({ one: short, two: `${short}k`, three: short, keys: ['two', 'one'] });
    expect(brief(document)).toEqual([
      'warning auth.short_key /auth/handlers/0/config/one',
      'warning auth.unlisted_key /auth/handlers/0/config/three',
    ]);
    expect(configOf(document).auth.apiKeys).toHaveLength(2);
  });

  it('counts what a key is once the variables of a file are filled in, not how it is written', () => {
    const document = handler({ one: '${BOARD:-long-enough-as-written}', keys: ['one'] });
    const codes = (isFile: boolean): readonly string[] => parse(document, { isFile }).problems.map((p) => p.code);
    expect(codes(true)).toEqual(['auth.short_key']);
    expect(codes(false)).toEqual([]);
  });
});

describe('log', () => {
  it('takes levels in any case and skips entries that are wrong', () => {
    const log = [
      { pattern: 'core.component.*', level: 'DEBUG' },
      { pattern: 'bench', level: 'loud' },
      { pattern: '(', level: 'info' },
      { level: 'info' },
      7,
      { pattern: 'rdk.resource_manager.rdk:component:board/bench', level: 'Warning' },
    ];
    const parsed = parse({ components: [board()], log });
    expect(parsed.config?.log).toEqual([
      { pattern: 'core.component.*', level: 'debug' },
      { pattern: 'rdk.resource_manager.rdk:component:board/bench', level: 'warn' },
    ]);
    expect(parsed.problems.map((p) => `${p.severity} ${p.code} ${p.pointer}`)).toEqual([
      'warning log.unknown_level /log/1/level',
      'warning log.bad_pattern /log/2/pattern',
      'warning config.missing_key /log/3',
      'warning config.wrong_type /log/4',
    ]);
  });

  it('warns of a pattern that matches nothing', () => {
    const about = (pattern: string): readonly string[] =>
      brief({
        components: [board()],
        modules: [{ name: 'drives', type: 'registry', module_id: 'a:b', version: 'latest' }],
        log: [{ pattern, level: 'info' }],
      });
    expect(about('core.component.moter.*')).toEqual(['warning log.no_match /log/0/pattern']);
    for (const pattern of ['*', 'core.component.board.bench', 'drives', 'rdk.modmanager.drives', 'core.config']) {
      expect(about(pattern)).toEqual([]);
    }
  });

  it('keeps the usual level of a resource whose level is wrong', () => {
    const parsed = parse({ components: [{ ...board(), log_configuration: { level: 'verbose' } }] });
    expect(parsed.config?.resources[0]).toMatchObject({ logLevel: undefined });
    expect(parsed.problems).toMatchObject([{ code: 'log.unknown_level', severity: 'warning' }]);
  });
});

describe('maintenance', () => {
  it('is read with the name of its sensor in our spelling', () => {
    const maintenance = { sensor_name: 'rdk:component:sensor/heat', maintenance_allowed_key: 'calm' };
    expect(brief({ components: [sensor()], maintenance })).toEqual([]);
    expect(configOf({ components: [sensor()], maintenance }).maintenance).toEqual({
      sensorName: 'core:component:sensor/heat',
      allowedKey: 'calm',
    });
  });

  it('warns of a sensor that is not there', () => {
    const maintenance = { sensor_name: 'core:component:sensor/heat', maintenance_allowed_key: 'calm' };
    expect(brief({ maintenance })).toEqual(['warning maintenance.no_sensor /maintenance/sensor_name']);
  });

  it.each([
    [{ sensor_name: 'heat', maintenance_allowed_key: 'k' }, 'maintenance.bad_sensor'],
    [{ sensor_name: 'core:component:motor/heat', maintenance_allowed_key: 'k' }, 'maintenance.bad_sensor'],
    [{ sensor_name: 'core:component:sensor/heat' }, 'config.missing_key'],
    [{ maintenance_allowed_key: 'k' }, 'config.missing_key'],
    [true, 'config.wrong_type'],
  ])('%j keeps the text from being applied: an update could stop the machine', (maintenance, code) => {
    const parsed = parse({ maintenance });
    expect(parsed.problems.map((p) => p.code)).toEqual([code]);
    expect(parsed.config).toBeUndefined();
  });
});

describe('modules', () => {
  const module = { name: 'm', type: 'registry', module_id: 'acme:drives', version: 'latest' };
  const problems = (more: object): readonly string[] =>
    parse({ modules: [{ ...module, ...more }] }).problems.map((p) => `${p.severity} ${p.code} ${p.pointer.slice(11)}`);

  it.each(['1.2.3', '1.2.3-rc.1', '1.2.*', '1.*', 'latest', 'latest-with-prerelease'])(
    'takes the version %s',
    (version) => {
      expect(problems({ version })).toEqual([]);
    },
  );

  it.each([
    [{ version: '1.2' }, ['error config.bad_version version']],
    [{ version: null }, ['error config.missing_key ']],
    [{ module_id: null }, ['error config.missing_key ']],
    [{ module_id: 'acme' }, ['error config.bad_module_id module_id']],
    [{ type: 'locl' }, ['error config.not_allowed type']],
    [{ name: 'parent' }, ['error config.bad_name name']],
    [{ name: null }, ['error config.missing_key ']],
    [{ type: 'local' }, ['error config.missing_key ']],
    [{ type: 'local', executable_path: '/x', version: null, module_id: null }, []],
    [{ type: null, executable_path: '/x', version: null, module_id: null }, []],
    [{ type: null, version: null, module_id: null }, ['error config.missing_key ']],
    [{ env: { A: 1 } }, ['error config.wrong_type env/A']],
    [{ env: { A: '${environment.NONE}' } }, ['error placeholder.unset env/A']],
    [{ first_run_timeout: '5' }, ['error config.bad_duration first_run_timeout']],
    [{ isolation: 'nothing' }, ['error config.not_allowed isolation']],
    [{ isolation: 'none' }, []],
    [{ status: { error: 'no such version' } }, ['error module.rejected status']],
    [{ log_level: 'x' }, ['warning log.unknown_level log_level']],
    [{ verion: '1' }, ['warning config.unknown_key verion']],
  ])('%j', (more, expected) => {
    expect(problems(more)).toEqual(expected);
  });

  it('one wrong or doubled module fails alone', () => {
    const { config, problems } = parse({ modules: [{ ...module, type: 3 }, module, { ...module, name: 'n' }] });
    expect(config?.modules.map((one) => [one.name, one.problems.length])).toEqual([
      ['m', 1],
      ['n', 0],
    ]);
    expect(problems.map((p) => p.code)).toEqual(['config.wrong_type', 'config.duplicate_name']);
  });

  it('never shows an environment value', () => {
    expect(JSON.stringify(parse({ modules: [{ ...module, env: { A: { b: 'sesame' } } }] }).problems)).not.toContain(
      'sesame',
    );
  });
});

describe('secrets', () => {
  const module = { name: 'm', type: 'registry', module_id: 'a:b', version: 'latest' };
  it.each([
    { auth: 'sesame' },
    { auth: ['sesame'] },
    { auth: { handlers: 'sesame' } },
    { auth: { handlers: ['sesame', { k: 'sesame' }] } },
    { auth: [{ handlers: [{ type: 'api-key', config: { k: 'sesame' } }] }] },
    { auth: { handlers: [{ type: 'api-key', config: 'sesame' }] } },
    { auth: { handlers: [{ type: 'api-key', config: ['sesame'] }] } },
    { modules: [{ ...module, env: 'sesame' }] },
    { modules: [{ ...module, env: ['sesame'] }] },
    { modules: { m: { env: { A: 'sesame' } } } },
    { components: { left: { attributes: { api_key: 'sesame' } } } },
    { components: [{ ...board(), attributes: [{ password: 'sesame' }] }] },
    { components: [{ ...board(), depends_on: { token: 'sesame' } }] },
    [{ auth: { handlers: [{ config: { k: 'sesame' } }] } }],
  ])('are in no problem, also where %j has another form than it should', (document) => {
    const { problems } = parse(document);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain('sesame');
  });
});

describe('the document', () => {
  it.each(['components', 'services', 'modules'])(
    'is not applied where %s is no list: that would remove everything',
    (key) => {
      const parsed = parse({ [key]: {} });
      expect(parsed.problems).toMatchObject([{ code: 'config.wrong_type', pointer: `/${key}` }]);
      expect(parsed.config).toBeUndefined();
    },
  );

  it('uses the default for a flag of the wrong type and says so', () => {
    const parsed = parse({ debug: 'yes' });
    expect(parsed.problems).toMatchObject([{ code: 'config.wrong_type', severity: 'error', pointer: '/debug' }]);
    expect(parsed.config?.debug).toBe(false);
  });

  it('has its own revision or else that of its text', () => {
    expect(configOf({ revision: 'v7' }).revision).toBe('v7');
    expect(configOf('{}').revision).toBe(revisionOf('{}'));
  });
});
