import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { templateApis } from '../../src-main/app/module-commands/templates/typescript.ts';
import { componentConfig, TestParent } from '../../src-main/module-sdk/testing/test-parent.ts';
import { installModuleProgram, type ModuleProgram } from '../harness/module-program.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../..');
const compiler = path.join(repository, 'node_modules/typescript/bin/tsc');

describe('a module as its author makes it', () => {
  let program: ModuleProgram;

  beforeAll(async () => {
    program = await installModuleProgram();
  });
  afterAll(() => program.remove());

  const within = (name: string): string => path.join(program.folder, name);

  it('is made, built and run by a machine, with nothing to install', async () => {
    const made = await program.run(['create', 'acme:weather', '--model', 'thermo']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('created weather with the model acme:weather:thermo (core:component:sensor)');

    const built = await program.run(['build'], 'weather');
    expect(built).toMatchObject({ code: 0, stderr: '' });
    const machine = await TestParent.start({ program: within('weather/dist/main.mjs') });
    try {
      await machine.add(componentConfig('core:component:sensor', 'first', 'acme:weather:thermo', { offset: 1 }));
      const request = { name: 'first', extra: undefined };
      expect(await machine.call(SensorServiceDefinition, 'getReadings', request)).toEqual({
        readings: { celsius: 22 },
      });
      const wrong = componentConfig('core:component:sensor', 'second', 'acme:weather:thermo', { ofset: 1 });
      await expect(machine.add(wrong)).rejects.toMatchObject({
        message: 'ofset: the model has no such attribute (did you mean offset?); it has offset.',
      });
      machine.process.kill('SIGTERM');
      expect(await machine.ended).toBe(0);
    } finally {
      await machine.close();
    }
  });

  it.each(templateApis)('for %s compiles, and passes the test that comes with it', async (api) => {
    const name = api.replaceAll(':', '-');
    expect(await program.run(['create', name, '--api', api])).toMatchObject({ code: 0, stderr: '' });
    await run(process.execPath, [compiler, '-p', '.'], { cwd: within(name) });
    const { stdout } = await run(process.execPath, ['--test'], { cwd: within(name) });
    expect(stdout).toMatch(/pass 2\n/);
    expect(await program.run(['build'], name)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['typescript', 'python'])('in %s says only commands that there are', async (language) => {
    const { stdout } = await program.run(['create', `told-${language}`, '--language', language]);
    const [folder, ...commands] = [...stdout.matchAll(/^ {2}(\S+)(?: (\S+))?/gm)];
    expect(folder?.slice(1)).toEqual(['cd', `told-${language}`]);
    expect(commands.length).toBeGreaterThan(1);
    for (const [, command = '', argument = ''] of commands) {
      // The files that setup.sh makes are described after setup.sh.
      if (command.startsWith('.venv/')) continue;
      if (command === 'npm') {
        const text = await readFile(within(`told-${language}/package.json`), 'utf8');
        expect((JSON.parse(text) as { scripts: object }).scripts).toHaveProperty(argument);
      } else {
        await access(path.resolve(within(`told-${language}`), command), constants.X_OK);
      }
    }
  });

  it('turns and stops a motor', async () => {
    await program.run(['create', 'acme:drive', '--api', 'motor']);
    await program.run(['build'], 'drive');
    const machine = await TestParent.start({ program: within('drive/dist/main.mjs') });
    try {
      await machine.add(componentConfig('core:component:motor', 'left', 'acme:drive:motor', { max_rpm: 100 }));
      const call = { name: 'left', extra: undefined };
      await machine.call(MotorServiceDefinition, 'setRPM', { ...call, rpm: 25 });
      expect(await machine.call(MotorServiceDefinition, 'isPowered', call)).toEqual({ isOn: true, powerPct: 0.25 });
      await machine.call(MotorServiceDefinition, 'stop', call);
      expect(await machine.call(MotorServiceDefinition, 'isMoving', call)).toEqual({ isMoving: false });
    } finally {
      await machine.close();
    }
  });

  it('is packed to the same bytes from the same files, wherever they are', async () => {
    await program.run(['create', 'acme:same']);
    const first = JSON.parse((await program.run(['build', '--json'], 'same')).stdout) as Record<string, unknown>;
    const bytes = await readFile(within('same/same.tar.gz'));
    expect(first).toMatchObject({
      module_id: 'acme:same',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    await rm(within('same/dist'), { recursive: true });
    expect(JSON.parse((await program.run(['build', '--json'], 'same')).stdout)).toEqual(first);
    await program.run(['create', 'acme:same', '--folder', 'deep/er/same']);
    const other = JSON.parse((await program.run(['build', '--json'], 'deep/er/same')).stdout) as Record<
      string,
      unknown
    >;
    expect(other['sha256']).toBe(first['sha256']);
  });

  it('has in its package what a machine needs, its program executable', async () => {
    await program.run(['create', 'acme:packed']);
    await program.run(['build', '--platform', 'linux/arm64'], 'packed');
    const { stdout } = await run('tar', ['-tvzf', within('packed/packed_linux_arm64.tar.gz')]);
    expect(
      stdout.split('\n').map((line) =>
        line
          .replace(/\s+/g, ' ')
          .split(' ')
          .filter((_, at) => at === 0 || at === 5)
          .join(' '),
      ),
    ).toEqual(['-rw-r--r-- README.md', '-rwxr-xr-x main.mjs', '-rw-r--r-- meta.json', '']);
  });

  it('is built by a command of its author where meta.json names one', async () => {
    await mkdir(within('own'));
    const meta = { module_id: 'acme:own', entrypoint: 'run.sh', build: { build: './make.sh', path: 'out' } };
    await writeFile(within('own/meta.json'), JSON.stringify(meta));
    const script =
      '#!/bin/sh\nset -e\nmkdir -p out\necho "#!/bin/sh\n# $SVC_BUILD_OS $VIAM_BUILD_ARCH" > out/run.sh\nchmod +x out/run.sh\ncp meta.json out\n';
    await writeFile(within('own/make.sh'), script, { mode: 0o755 });
    expect(await program.run(['build', '--platform', 'linux/arm64'], 'own')).toMatchObject({ code: 0 });
    expect(await readFile(within('own/out/run.sh'), 'utf8')).toContain('# linux arm64');

    await writeFile(within('own/make.sh'), '#!/bin/sh\necho the compiler is missing >&2\nexit 3\n', { mode: 0o755 });
    const failed = await program.run(['build'], 'own');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toBe(
      'the compiler is missing\narmature module build: "./make.sh" ended with 3; see what it said above.\n',
    );
  });

  it('says what does not compile, and where', async () => {
    await program.run(['create', 'acme:wrong']);
    await writeFile(
      within('wrong/src/sensor.ts'),
      `import { nothing } from './nowhere.ts';\nexport const sensorModel = nothing;\n`,
    );
    const failed = await program.run(['build'], 'wrong');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('armature module build: The module does not compile.');
    expect(failed.stderr).toContain('nowhere.ts');
  });

  it.each([
    [['create'], 2, 'NAME is missing.'],
    [['create', 'Has Space'], 2, 'NAME is "Has Space"; write NAMESPACE:NAME or NAME'],
    [
      ['create', 'x', '--api', 'core:component:sensr'],
      2,
      '--api is "core:component:sensr" (did you mean core:component:sensor?)',
    ],
    [['create', 'x', '--language', 'cobol'], 2, '--language is "cobol"; there are typescript and python.'],
    [['create', 'x', '--speed', '1'], 2, "Unknown option '--speed'"],
    [['create', 'installed'], 1, 'is not empty (armature, dist, node_modules)'],
    [['build', '--platform', 'linux/arm46'], 2, '--platform is "linux/arm46" (did you mean linux/arm64?)'],
    [['build', 'nowhere'], 1, 'nowhere/meta.json cannot be read'],
    [['biuld'], 2, '"biuld" is no command.'],
    [[], 2, 'usage: armature module create NAME'],
  ])('%j ends with %i and says why', async (args, code, words) => {
    const ended = await program.run(args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(words);
    expect(ended.stdout).toBe('');
  });

  it.each([
    ['{', 'it is no JSON'],
    ['[]', 'it is []; it takes an object'],
    ['{"module_id": "weather"}', 'module_id is "weather"; write namespace:name, as in acme:weather'],
    ['{"module_id": "a:b"}', 'entrypoint is missing; name the program of the package'],
    ['{"module_id": "a:b", "entrypoint": "../x"}', 'entrypoint is "../x"'],
    [
      '{"module_id": "a:b", "entrypoint": "x", "visibility": "secret"}',
      'visibility is "secret"; it takes private, public, public_unlisted',
    ],
    [
      '{"module_id": "a:b", "entrypoint": "x", "models": [{"api": "sensor", "model": "a:b:c"}]}',
      'models[0].api is "sensor"',
    ],
    [
      '{"module_id": "a:b", "entrypoint": "x", "models": [{"api": "rdk:component:sensor", "model": "c"}]}',
      'models[0].model is "c"',
    ],
    ['{"module_id": "a:b", "entrypoint": "x", "build": {"build": "make"}}', 'build.path is missing'],
  ])('a meta.json %s is refused: %s', async (text, words) => {
    await mkdir(within('meta'), { recursive: true });
    await writeFile(within('meta/meta.json'), text);
    const ended = await program.run(['build'], 'meta');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(words);
  });
});

describe('a module in Python', () => {
  it('comes with all its files, its scripts executable', async () => {
    const program = await installModuleProgram();
    try {
      expect(await program.run(['create', 'acme:snake', '--language', 'python'])).toMatchObject({ code: 0 });
      const folder = path.join(program.folder, 'snake');
      await run('python3', ['-m', 'py_compile', 'src/main.py', 'test/test_model.py'], { cwd: folder });
      expect(await program.run(['build'], 'snake')).toMatchObject({ code: 0 });
      const { stdout } = await run('tar', ['-tzf', path.join(folder, 'snake.tar.gz')]);
      expect(stdout.trim().split('\n')).toEqual([
        'README.md',
        'meta.json',
        'requirements.txt',
        'run.sh',
        'setup.sh',
        'src/main.py',
      ]);
    } finally {
      await program.remove();
    }
  });
});
