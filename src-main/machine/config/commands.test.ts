import { describe, expect, it } from 'vitest';
import { ArmatureError } from '../../base/errors.ts';
import { checkCommand } from './checks/check.ts';
import type { CommandIo } from './command-io.ts';
import { board, fixtureCatalog, motor } from './config.fixture.ts';
import { planCommand } from './plan/plan-command.ts';

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(
  command: typeof checkCommand,
  argv: readonly string[],
  files: Readonly<Record<string, unknown>>,
): Promise<Run> {
  let out = '';
  let err = '';
  const io: CommandIo = {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    readFile: async (path) => {
      const content = files[path];
      if (content === undefined) throw new ArmatureError('config.unreadable', `${path} cannot be read.`);
      return typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
    },
    env: {},
  };
  const code = await command(argv, io, fixtureCatalog);
  return { code, out, err };
}

describe('config check', () => {
  const good = { components: [board(), motor()] };
  const bad = '{"components": [\n  {"name": "left", "api": "core:component:motor", "model": "gpoi"}],\n "debg": true}';

  it('exits 0 for a right file, 1 for a wrong one', async () => {
    expect(await run(checkCommand, ['a.json'], { 'a.json': good })).toEqual({
      code: 0,
      out: 'a.json: 0 errors, 0 warnings\n',
      err: '',
    });
    expect((await run(checkCommand, ['a.json'], { 'a.json': bad })).code).toBe(1);
  });

  it('exits 0 where there are warnings only', async () => {
    expect((await run(checkCommand, ['a.json'], { 'a.json': '{"debg": 1}' })).code).toBe(0);
  });

  it('prints every problem by place, as compilers do', async () => {
    const { out } = await run(checkCommand, ['a.json'], { 'a.json': bad });
    expect(out.split('\n').map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'a.json:2:60: error config.unknown_model',
      'a.json:3:2: warning config.unknown_key',
      'a.json: 1 error,',
      '',
    ]);
  });

  it.each(['--json', '-json'])('with %s prints the problems as one array', async (option) => {
    const { out, code } = await run(checkCommand, [option, 'a.json'], { 'a.json': bad });
    const [first, second] = JSON.parse(out) as object[];
    expect(code).toBe(1);
    expect(first).toEqual({
      file: 'a.json',
      line: 2,
      column: 60,
      pointer: '/components/0/model',
      severity: 'error',
      code: 'config.unknown_model',
      message:
        'component "left": there is no model gpoi for core:component:motor (did you mean gpio?); there are gpio.',
      found: '"gpoi"',
      allowed: ['gpio'],
      nearest: 'gpio',
    });
    expect(second).toMatchObject({ pointer: '/debg', nearest: 'debug' });
    expect(JSON.parse((await run(checkCommand, [option, 'a.json'], { 'a.json': good })).out)).toEqual([]);
  });

  it('reports a file that cannot be read like any other problem', async () => {
    const { code, out } = await run(checkCommand, ['none.json', '--json'], {});
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([{ file: 'none.json', line: 0, code: 'config.unreadable' }]);
  });

  it.each([[[]], [['a.json', 'b.json']], [['a.json', '--yaml']]])('exits 2 with the usage for %j', async (argv) => {
    const { code, out, err } = await run(checkCommand, argv, { 'a.json': good });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('usage:');
  });
});

describe('config plan', () => {
  const files = {
    old: { components: [board(), motor()], network: { bind_address: ':1' } },
    new: {
      components: [board('bench', { fail_new: true }), motor('left', { max_rpm: 5 })],
      network: { bind_address: ':2' },
    },
    broken: '{',
  };

  it('says what would happen', async () => {
    expect(await run(planCommand, ['old', 'new'], files)).toEqual({
      code: 0,
      err: '',
      out: [
        '2 rebuilt, 1 setting',
        '  ~ bind_address :1 to :2 (takes effect after a restart)',
        '  ! core:component:board/bench: fail_new set to true',
        '  ! core:component:motor/left: max_rpm 100 to 5; its board bench is rebuilt (stops motion)',
        '',
      ].join('\n'),
    });
  });

  it('says it as JSON', async () => {
    const { out } = await run(planCommand, ['old', 'new', '--json'], files);
    expect(JSON.parse(out)).toMatchObject({
      summary: '2 rebuilt, 1 setting',
      resources: [{ kind: 'rebuild' }, { kind: 'rebuild', fields: ['max_rpm'], stopsMotion: true }],
      settings: [{ key: 'network.bind_address', needsRestart: true }],
    });
  });

  describe('of a text that leaves something without what it needs', () => {
    const broken = {
      old: { components: [board(), motor(), motor('right')] },
      new: {
        components: [
          board(),
          motor('left', { encoder: 'none' }),
          motor('front', {}, { depends_on: ['left'] }),
          motor('rear', { watch: 'left' }),
          motor('right'),
          motor('off', { encoder: 'none' }, { disabled: true }),
          motor('wrong', { max_rpm: 0 }),
        ],
      },
    };

    it('says what will not be ready, with what needs it, and where to read why', async () => {
      const { out } = await run(planCommand, ['old', 'new'], broken);
      expect(out.trimEnd().split('\n').at(-1)).toBe(
        'will not be ready: core:component:motor/left, core:component:motor/wrong, core:component:motor/front; "armature config check new" says why',
      );
      const json = JSON.parse((await run(planCommand, ['old', 'new', '--json'], broken)).out) as object;
      expect(json).toMatchObject({
        notReady: ['core:component:motor/left', 'core:component:motor/wrong', 'core:component:motor/front'],
      });
    });

    it('leaves out what the change does not touch', async () => {
      const { out } = await run(planCommand, ['new', 'new'], broken);
      expect(out).toBe('no changes\n');
      expect(JSON.parse((await run(planCommand, ['new', 'new', '--json'], broken)).out)).toMatchObject({
        notReady: [],
      });
    });
  });

  it('exits 1 where a file cannot be applied, with its problems on standard error', async () => {
    const { code, out, err } = await run(planCommand, ['old', 'broken'], files);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^broken:1:2: error config.syntax /);
  });

  it.each([[['old']], [['a', 'b', 'c']], [['old', 'new', '--x']]])('exits 2 with the usage for %j', async (argv) => {
    expect(await run(planCommand, argv, files)).toMatchObject({ code: 2, out: '' });
  });
});
