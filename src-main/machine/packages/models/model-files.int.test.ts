import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { PackageConfig } from '../../config/machine-config.ts';
import { archiveOf, type TestEntry } from '../testing/test-archive.ts';
import { TestLink, TestRegistry } from '../testing/test-registry.ts';
import { ModelFiles, type ModelFilesOptions } from './model-files.ts';

const ID = 'org-1/parts';
const DAY_MS = 24 * 60 * 60 * 1_000;

function config(change: Partial<PackageConfig> = {}): PackageConfig {
  return {
    name: 'parts',
    package: ID,
    type: 'ml_model',
    version: 'latest',
    pointer: '/packages/0',
    problems: [],
    ...change,
  };
}

const entriesOf = (text: string, ...more: TestEntry[]): TestEntry[] => [{ name: 'parts.onnx', content: text }, ...more];

describe('models', () => {
  let home = '';
  let registry: TestRegistry;
  let link: TestLink;
  let clock: ManualClock;
  let machines: ModelFiles[] = [];

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'models-'));
    registry = new TestRegistry();
    link = TestLink.to(registry);
    clock = new ManualClock(Date.now());
  });

  afterEach(async () => {
    await Promise.all(machines.map((machine) => machine.close()));
    machines = [];
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });

  const start = (options: Partial<ModelFilesOptions> = {}): ModelFiles => {
    const machine = new ModelFiles({
      folder: path.join(home, 'packages'),
      machine: 'part-1',
      link,
      platform: { platform: 'linux/amd64', tags: [] },
      clock,
      random: () => 0,
      logger: silentLogger,
      ...options,
    });
    machines.push(machine);
    return machine;
  };
  const restart = async (options: Partial<ModelFilesOptions> = {}): Promise<ModelFiles> => {
    await Promise.all(machines.splice(0).map((machine) => machine.close()));
    return start(options);
  };
  const publish = async (version: string, entries = entriesOf(version)): Promise<void> =>
    registry.publish(ID, version, { platform: 'any', bytes: await archiveOf(entries) });
  const status = (machine: ModelFiles, name = 'parts') => machine.statuses().find((one) => one.name === name);
  /** Lets time pass until something holds. */
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) {
      clock.advance(250);
      // File operations take real time, which must not count as minutes here.
      await setTimeout(2);
    }
  };
  const ready = (machine: ModelFiles, version: string, name?: string): Promise<void> =>
    until(() => status(machine, name)?.version === version && status(machine, name)?.update === undefined);
  const content = (machine: ModelFiles, name = 'parts'): Promise<string> =>
    readFile(path.join(machine.pathOf('ml_model', name), 'parts.onnx'), 'utf8');
  const kept = async (): Promise<string[]> =>
    (await readdir(path.join(home, 'packages/data/ml_model', ID)).catch(() => []))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'_any.json'.length))
      .sort();
  const leftovers = async (): Promise<string[]> =>
    (await readdir(path.join(home, 'packages/data/ml_model', ID))).filter((name) => name.startsWith('.'));

  it('are downloaded and unpacked, and found where placeholders say', async () => {
    await publish('1.0.0', entriesOf('one', { name: 'labels.txt', content: 'nut\n' }));
    const machine = start();
    const changes: string[] = [];
    machine.onChange(({ name, isReplaced }) => changes.push(`${name} ${isReplaced}`));
    machine.configure([config()]);
    expect(machine.absenceOf('parts')).toEqual({ reason: 'looking for it', isUnderWay: true });
    await ready(machine, '1.0.0');
    expect(machine.absenceOf('parts')).toBeUndefined();
    expect(await content(machine)).toBe('one');
    expect(await realpath(machine.pathOf('ml_model', 'parts'))).toBe(
      await realpath(path.join(home, 'packages/data/ml_model/org-1/parts/1.0.0_any')),
    );
    expect(path.isAbsolute(await readlink(machine.pathOf('ml_model', 'parts')))).toBe(false);
    expect(status(machine)).toMatchObject({ state: 'ready', reason: '', wantedVersion: 'latest', packageId: ID });
    expect(changes.at(-1)).toBe('parts true');
    expect(registry.watches[0]).toEqual([
      { moduleId: ID, version: 'latest', platform: 'linux/amd64', platformTags: [], type: 'ml_model' },
    ]);
  });

  it('are replaced when the channel has another, and what is there serves until then', async () => {
    await publish('1.0.0');
    const machine = start();
    machine.configure([config()]);
    await ready(machine, '1.0.0');
    let isHeld = true;
    registry.beforePiece = async () => {
      while (isHeld) await setTimeout(1);
    };
    await publish('1.1.0');
    await until(() => status(machine)?.update?.step === 'downloading');
    expect(machine.absenceOf('parts')).toBeUndefined();
    expect(await content(machine)).toBe('1.0.0');
    isHeld = false;
    await ready(machine, '1.1.0');
    expect(await content(machine)).toBe('1.1.0');
    // Both are kept, so that falling back is possible.
    expect(await kept()).toEqual(['1.0.0', '1.1.0']);
  });

  it('that are here need no hub: an exact one at once, of a channel the one that served last', async () => {
    await publish('1.0.0');
    await publish('2.0.0');
    const first = start();
    first.configure([config({ version: '1.0.0' }), config({ name: 'newest' })]);
    await Promise.all([ready(first, '1.0.0'), ready(first, '2.0.0', 'newest')]);
    const machine = await restart({ link: undefined });
    machine.configure([
      config({ version: '1.0.0' }),
      config({ name: 'newest' }),
      config({ name: 'other', package: 'org-1/other' }),
    ]);
    await Promise.all([ready(machine, '1.0.0'), ready(machine, '2.0.0', 'newest')]);
    expect(status(machine)).toMatchObject({ state: 'ready', reason: '' });
    await until(() => status(machine, 'newest')?.reason !== '');
    expect(status(machine, 'newest')?.reason).toMatch(/this machine has no hub/);
    await until(() => status(machine, 'other')?.state === 'failed');
    expect(machine.absenceOf('other')).toMatchObject({ isUnderWay: false });
  });

  it('say why they are not there, and come when they are', async () => {
    const machine = start();
    machine.configure([config()]);
    await until(() => status(machine)?.state === 'failed');
    expect(machine.absenceOf('parts')?.reason).toMatch(/org-1\/parts/);
    await publish('1.0.0');
    await ready(machine, '1.0.0');
  });

  it('go on where a download was cut, also after a restart', async () => {
    const noise = randomBytes(200_000);
    await publish('1.0.0', [{ name: 'parts.onnx', content: noise }]);
    registry.cutAt = 32 * 1024;
    let machine = start();
    machine.configure([config()]);
    await until(() => status(machine)?.state === 'failed');
    expect(status(machine)?.reason).toMatch(/^org-1\/parts 1.0.0 cannot be used: /);
    machine = await restart();
    registry.cutAt = undefined;
    machine.configure([config()]);
    await ready(machine, '1.0.0');
    expect(Number(registry.downloads.at(-1)?.offset)).toBeGreaterThan(0);
    expect((await readFile(path.join(machine.pathOf('ml_model', 'parts'), 'parts.onnx'))).equals(noise)).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it.each<readonly [string, () => Promise<void>, RegExp]>([
    [
      'whose bytes are not those that were described',
      async () => {
        const published = registry.published(ID, '1.1.0');
        published.bytes = Buffer.concat([published.bytes.subarray(0, -1), Buffer.from([published.bytes.at(-1)! ^ 1])]);
      },
      /SHA-256/,
    ],
    [
      'that are no archive',
      () => registry.publish(ID, '1.1.0', { platform: 'any', bytes: Buffer.from('no archive') }),
      /no whole .tar.gz/,
    ],
    [
      'that lead out of their folder',
      () => publish('1.1.0', entriesOf('x', { name: '../../evil', content: 'x' })),
      /leads out/,
    ],
    [
      'with a link to outside',
      () => publish('1.1.0', entriesOf('x', { name: 'l', type: 'symlink', linkname: '/etc/passwd' })),
      /absolute path/,
    ],
  ])('%s are refused, what is there serves, and a right one is taken', async (_what, spoil, message) => {
    await publish('1.0.0');
    const machine = start();
    machine.configure([config()]);
    await ready(machine, '1.0.0');
    await publish('1.1.0');
    await spoil();
    await until(() => status(machine)?.update?.step === 'rejected');
    expect(status(machine)).toMatchObject({ state: 'ready', version: '1.0.0' });
    expect(status(machine)?.reason).toMatch(message);
    expect(await content(machine)).toBe('1.0.0');
    expect(await readdir(home)).toEqual(['packages']);
    await publish('1.2.0');
    await ready(machine, '1.2.0');
    expect(await leftovers()).toEqual([]);
  });

  it('are tried again at once when somebody asks', async () => {
    await publish('1.0.0');
    const right = registry.published(ID, '1.0.0').bytes;
    registry.published(ID, '1.0.0').bytes = Buffer.concat([right.subarray(0, -1), Buffer.from([right.at(-1)! ^ 1])]);
    const machine = start();
    machine.configure([config()]);
    await until(() => status(machine)?.state === 'failed');
    registry.published(ID, '1.0.0').bytes = right;
    expect(() => machine.retry('nuts')).toThrow(/no package "nuts" to try again/);
    machine.retry('parts');
    expect(status(machine)).toMatchObject({ state: 'pending', update: undefined });
    // The clock does not move: only requested work happens.
    await expect.poll(() => status(machine)?.state).toBe('ready');
    expect(await content(machine)).toBe('1.0.0');
  });

  it('wait where the disk has no room for them', async () => {
    await publish('1.0.0');
    const machine = start({ freeFloorBytes: Number.MAX_SAFE_INTEGER });
    machine.configure([config()]);
    await until(() => status(machine)?.state === 'failed');
    expect(status(machine)?.reason).toMatch(/too little space/);
  });

  it('that a killed program left half are made anew', async () => {
    await publish('1.0.0');
    const folder = path.join(home, 'packages/data/ml_model', ID);
    for (const half of ['.unpack-1.0.0_any', '1.0.0_any']) {
      await mkdir(path.join(folder, half), { recursive: true });
      await writeFile(path.join(folder, half, 'parts.onnx'), 'half');
    }
    const machine = start();
    machine.configure([config()]);
    await ready(machine, '1.0.0');
    expect(await content(machine)).toBe('1.0.0');
    expect(await leftovers()).toEqual([]);
  });

  it('of an entry that is wrong are not looked for, and of one that is taken out no more', async () => {
    await publish('1.0.0');
    const machine = start();
    const problems = [{ message: 'it is wrong', severity: 'error' }] as unknown as PackageConfig['problems'];
    machine.configure([config({ name: 'bad', problems })]);
    expect(machine.absenceOf('bad')).toEqual({ reason: 'it is wrong', isUnderWay: false });
    expect(machine.statuses()).toEqual([]);
    machine.configure([config()]);
    await ready(machine, '1.0.0');
    machine.configure([]);
    expect(machine.statuses()).toEqual([]);
    expect(machine.absenceOf('parts')?.reason).toBe('it is not configured');
  });

  it('that nobody uses are removed after a week, and their links; what another machine claims stays', async () => {
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await publish(version);
    const other = start({ machine: 'part-2' });
    other.configure([config({ version: '2.0.0' })]);
    await ready(other, '2.0.0');
    const machine = start();
    machine.configure([config({ version: '1.0.0' }), config({ name: 'newest' })]);
    await Promise.all([ready(machine, '1.0.0'), ready(machine, '3.0.0', 'newest')]);
    machine.configure([config({ name: 'newest' })]);
    for (const version of await kept()) {
      const old = clock.now() / 1_000 - (10 * DAY_MS) / 1_000;
      await utimes(path.join(home, 'packages/data/ml_model', ID, `${version}_any.json`), old, old);
    }
    await other.close();
    clock.advance(8 * DAY_MS);
    while ((await kept()).includes('1.0.0')) await setTimeout(2);
    expect(await kept()).toEqual(['2.0.0', '3.0.0']);
    expect(await readdir(path.dirname(machine.pathOf('ml_model', 'x')))).toEqual(['newest']);
  });
});
