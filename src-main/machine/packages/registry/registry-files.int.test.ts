import { execFileSync } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageBench } from '../testing/package-bench.ts';
import { moduleEntries } from '../testing/test-archive.ts';

let bench: PackageBench;
beforeEach(async () => (bench = await PackageBench.open()));
afterEach(() => bench.close());

const id = 'acme:motors';
const versions = (): Promise<string[]> =>
  readdir(path.join(bench.folder, 'modules/acme/motors')).then((names) =>
    names.filter((name) => !name.startsWith('.') && !name.endsWith('.json')).sort(),
  );

describe('files of a module from the registry', () => {
  it('are downloaded, checked, unpacked and offered', async () => {
    await bench.registry.publish(id, '1.2.3');
    const motors = bench.follow(bench.machine());
    expect(motors.files).toEqual([]);
    const files = await motors.offered('1.2.3');
    expect(execFileSync(files.executable, { encoding: 'utf8' })).toBe('1.2.3\n');
    expect(files.root).toBe(path.join(bench.folder, 'modules/acme/motors/1.2.3_linux-any'));
    expect(motors.progress.map((one) => one?.step)).toEqual(
      expect.arrayContaining(['downloading', 'unpacking', undefined]),
    );
    expect(motors.progress.at(-1)).toBeUndefined();
    expect(motors.missing).toEqual([]);
    expect((await readdir(path.dirname(files.root))).sort()).toEqual(['1.2.3_linux-any', '1.2.3_linux-any.json']);
    expect(bench.registry.watches[0]).toEqual([
      { moduleId: id, version: 'latest', platform: 'linux/amd64', platformTags: ['distro:debian'], type: '' },
    ]);
  });

  it('are asked for by one stream, however many modules there are', async () => {
    for (const name of ['a', 'b', 'c']) await bench.registry.publish(`acme:${name}`, '1.0.0');
    const machine = bench.machine();
    const followed = ['a', 'b', 'c'].map((name) => bench.follow(machine, { name, moduleId: `acme:${name}` }));
    await Promise.all(followed.map((one) => one.offered('1.0.0')));
    expect(bench.registry.watches.at(-1)).toHaveLength(3);
  });

  it('follow their channel, and only that', async () => {
    await bench.registry.publish(id, '1.2.3');
    const machine = bench.machine();
    const patches = bench.follow(machine, { name: 'patches', version: '1.2.*' });
    const minors = bench.follow(machine, { name: 'minors', version: '1.*' });
    const exact = bench.follow(machine, { name: 'exact', version: '1.2.3' });
    const newest = bench.follow(machine, { name: 'newest' });
    const all = [patches, minors, exact, newest];
    await Promise.all(all.map((one) => one.offered('1.2.3')));
    for (const version of ['1.2.4', '1.3.0', '2.0.0', '2.1.0-rc.1']) await bench.registry.publish(id, version);
    await Promise.all([patches.offered('1.2.4'), minors.offered('1.3.0'), newest.offered('2.0.0')]);
    expect(exact.versions).toEqual(['1.2.3']);
    const before = bench.follow(machine, { name: 'before', version: 'latest-with-prerelease' });
    await before.offered('2.1.0-rc.1');
    expect(newest.versions.at(-1)).toBe('2.0.0');
  });

  it('say why there are none, and come when there are', async () => {
    const motors = bench.follow(bench.machine(), { version: '1.2.*' });
    await motors.until(() => motors.missing.length > 0);
    expect(motors.missing).toEqual(['acme:motors has no version yet: upload one.']);
    await bench.registry.publish(id, '1.2.0');
    await motors.offered('1.2.0');
  });

  it('are the kept ones while the hub is away, which is said', async () => {
    await bench.registry.publish(id, '1.2.3');
    const first = bench.follow(bench.machine());
    first.follower.accepted(await first.offered('1.2.3'));
    bench.link.become('offline');
    const machine = await bench.restart();
    const motors = bench.follow(machine);
    const other = bench.follow(machine, { name: 'other', moduleId: 'acme:other' });
    const files = await motors.offered('1.2.3');
    expect(execFileSync(files.executable, { encoding: 'utf8' })).toBe('1.2.3\n');
    expect(bench.log).toContain(
      'warn acme_motors: acme:motors 1.2.3 runs, which is on this computer: the hub hub.test is not reached (connection refused).',
    );
    await other.until(() => other.missing.length > 0);
    expect(other.missing).toEqual(['the hub hub.test is not reached (connection refused)']);
    await bench.registry.publish(id, '1.2.4');
    await bench.registry.publish('acme:other', '0.1.0');
    bench.link.become('online');
    await motors.offered('1.2.4');
    await other.offered('0.1.0');
  });

  it('wait for a hub that is being connected to, but not long', async () => {
    await bench.registry.publish(id, '1.0.0');
    await bench.follow(bench.machine()).offered('1.0.0');
    bench.link.become('connecting');
    await bench.registry.publish(id, '1.1.0');
    const motors = bench.follow(await bench.restart());
    const exact = bench.follow(bench.machine({ machine: 'exact' }), { version: '1.0.0' });
    await exact.offered('1.0.0');
    expect(motors.versions).toEqual([]);
    bench.link.become('online');
    await motors.offered('1.1.0');
    expect(motors.versions).toEqual(['1.1.0']);
    bench.link.become('connecting');
    const late = bench.follow(await bench.restart(), { version: '1.0.*' });
    await bench.passing(late.offered('1.0.0'));
    expect(bench.log.at(-1)).toContain('the hub hub.test is not reached');
  });

  it('go back to the version before where one does not become ready, and remember that', async () => {
    await bench.registry.publish(id, '1.2.3');
    const motors = bench.follow(bench.machine(), { version: '1.*' });
    motors.follower.accepted(await motors.offered('1.2.3'));
    await bench.registry.publish(id, '1.2.4');
    const back = motors.follower.rejected(await motors.offered('1.2.4'), 'exit code 1');
    expect(back).toBe(motors.files[0]);

    const again = bench.follow(await bench.restart(), { version: '1.*' });
    await again.offered('1.2.3');
    expect(await again.refused('1.2.4')).toBe('exit code 1');
    expect(again.versions).toEqual(['1.2.3']);

    await bench.registry.publish(id, '1.2.5');
    await again.offered('1.2.5');
  });

  it('are offered again when a person asks for it', async () => {
    await bench.registry.publish(id, '1.2.3');
    const motors = bench.follow(bench.machine());
    motors.follower.accepted(await motors.offered('1.2.3'));
    await bench.registry.publish(id, '1.2.4');
    motors.follower.rejected(await motors.offered('1.2.4'), 'exit code 1');
    await motors.follower.refresh();
    expect(motors.versions).toEqual(['1.2.3', '1.2.4', '1.2.4']);
  });

  it('have nothing to go back to where the version before is not allowed', async () => {
    await bench.registry.publish(id, '1.2.3');
    await bench.registry.publish(id, '1.2.4');
    const machine = bench.machine();
    const motors = bench.follow(machine, { version: '1.2.3' });
    motors.follower.accepted(await motors.offered('1.2.3'));
    motors.follower.close();
    const moved = bench.follow(machine, { version: '1.2.4' });
    expect(moved.follower.rejected(await moved.offered('1.2.4'), 'exit code 1')).toBeUndefined();
    expect(await versions()).toEqual(['1.2.3_linux-any', '1.2.4_linux-any']);
  });

  it('move to an older version where the newer one is yanked', async () => {
    await bench.registry.publish(id, '1.2.3');
    await bench.registry.publish(id, '1.2.4');
    const machine = bench.machine();
    const motors = bench.follow(machine);
    const exact = bench.follow(machine, { name: 'exact', version: '1.2.4' });
    await Promise.all([motors.offered('1.2.4'), exact.offered('1.2.4')]);
    bench.registry.yank(id, '1.2.4');
    await motors.offered('1.2.3');
    expect(exact.versions).toEqual(['1.2.4']);
  });

  it('are those of the newest version, also where it comes while another is on its way', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    bench.registry.beforePiece = () => (bench.registry.downloads.length === 1 ? held : undefined);
    await bench.registry.publish(id, '1.0.0');
    const motors = bench.follow(bench.machine());
    await bench.registry.until(() => bench.registry.downloads.length === 1);
    await bench.registry.publish(id, '1.0.1');
    await motors.offered('1.0.1');
    release();
    expect(motors.versions).toEqual(['1.0.1']);
    expect(await versions()).toEqual(['1.0.1_linux-any']);
  });

  it('of one module do not wait for those of another that hangs', async () => {
    const held = new Promise<void>(() => undefined);
    bench.registry.beforePiece = (moduleId) => (moduleId === 'acme:slow' ? held : undefined);
    for (const name of ['slow', 'a', 'b']) await bench.registry.publish(`acme:${name}`, '1.0.0');
    const machine = bench.machine();
    bench.follow(machine, { name: 'slow', moduleId: 'acme:slow' });
    await bench.registry.until(() => bench.registry.downloads.length === 1);
    const others = ['a', 'b'].map((name) => bench.follow(machine, { name, moduleId: `acme:${name}` }));
    await Promise.all(others.map((one) => one.offered('1.0.0')));
  });

  it('are shared by the machines of one home', async () => {
    await bench.registry.publish(id, '1.0.0');
    const machines = ['one', 'two', 'three'].map((machine) => bench.machine({ machine }));
    const followed = machines.map((machine) => bench.follow(machine));
    await Promise.all(followed.map((one) => one.offered('1.0.0')));
    expect(bench.registry.downloads).toHaveLength(1);
    expect(new Set(followed.map(({ last }) => last.root)).size).toBe(1);
  });

  it('are not made twice', async () => {
    await bench.registry.publish(id, '1.0.0');
    await bench.follow(bench.machine()).offered('1.0.0');
    await bench.follow(await bench.restart()).offered('1.0.0');
    expect(bench.registry.downloads).toHaveLength(1);
  });

  it('are made again where somebody removed the program', async () => {
    await bench.registry.publish(id, '1.0.0');
    const { executable } = await bench.follow(bench.machine()).offered('1.0.0');
    execFileSync('rm', [executable]);
    await bench.follow(await bench.restart()).offered('1.0.0');
    expect((await stat(executable)).isFile()).toBe(true);
  });

  it('tell of progress no more than five times a second', async () => {
    const entries = [
      ...moduleEntries(id),
      { name: 'data', content: Buffer.from(Array.from({ length: 200_000 }, (_one, at) => (at * 2654435761) >>> 13)) },
    ];
    bench.registry.chunkBytes = 1_000;
    await bench.registry.publish(id, '1.0.0', { entries });
    const motors = bench.follow(bench.machine());
    await motors.offered('1.0.0');
    // The clock has not moved.
    expect(motors.progress.filter((one) => one?.step === 'downloading').length).toBeLessThanOrEqual(2);
  });
});
