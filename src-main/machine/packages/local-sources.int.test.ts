import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import { LocalFiles } from '../modules/local-files.ts';
import { ArchiveFiles } from './archive/archive-files.ts';
import { ModuleSources } from './module-sources.ts';
import { PackageBench, RecordedFiles, registryModule } from './testing/package-bench.ts';
import { archiveOf, moduleEntries } from './testing/test-archive.ts';

let bench: PackageBench;
let archive: string;
let archives: ArchiveFiles;
const followed: RecordedFiles[] = [];
beforeEach(async () => {
  bench = await PackageBench.open();
  archive = path.join(bench.home, 'build', 'module.tar.gz');
  await mkdir(path.dirname(archive));
  archives = new ArchiveFiles({
    folder: bench.folder,
    machine: 'part-1',
    userHome: bench.home,
    clock: systemClock,
    random: () => 0,
    moduleLogger: (name) => bench.logger(name),
  });
});
afterEach(async () => {
  for (const one of followed.splice(0)) one.follower.close();
  await archives.close();
  await bench.close();
});

function follow(module: Partial<ModuleConfig> = {}): RecordedFiles {
  const sources = new ModuleSources({
    registry: bench.machine(),
    archives,
    programs: new LocalFiles(systemClock, bench.home),
    userHome: bench.home,
    clock: systemClock,
    moduleLogger: (name) => bench.logger(name),
  });
  const local = registryModule({ type: 'local', moduleId: '', version: '', executablePath: archive, ...module });
  const recorded = new RecordedFiles();
  recorded.follower = sources.follow(local, () => ({ FROM_MACHINE: 'yes' }), recorded);
  followed.push(recorded);
  return recorded;
}

async function pack(text: string, meta: object = {}): Promise<void> {
  const setup = { name: 'setup.sh', mode: 0o755, content: '#!/bin/sh\necho "$FROM_MACHINE" >> runs\n' };
  await writeFile(archive, await archiveOf([...moduleEntries('acme:motors', text, meta), setup]));
}

const output = ({ last }: RecordedFiles): string => execFileSync(last.executable, { encoding: 'utf8' }).trim();
const offers = (recorded: RecordedFiles, count: number): Promise<void> =>
  recorded.until(() => recorded.files.length >= count);

describe('a local archive', () => {
  it('is unpacked by its content, with its first run done once', async () => {
    await pack('one', { first_run: 'setup.sh' });
    const first = follow({ executablePath: '~/build/module.tar.gz', version: '0.1.0' });
    await offers(first, 1);
    expect(output(first)).toBe('one');
    expect(first.last.version).toBe('0.1.0');
    expect(first.last.root).toMatch(/packages\/local\/part-1\/acme_motors\/[0-9a-f]{16}$/);
    first.follower.close();
    const second = follow();
    await offers(second, 1);
    expect(second.last.root).toBe(first.last.root);
    expect(await readFile(path.join(second.last.root, 'runs'), 'utf8')).toBe('yes\n');
  });

  it('is unpacked anew when it is looked at again and has changed', async () => {
    await pack('one');
    const motors = follow();
    await offers(motors, 1);
    await motors.follower.refresh();
    expect(motors.files).toHaveLength(1);
    await pack('two');
    await motors.follower.refresh();
    expect(output(motors)).toBe('two');
    expect(motors.files).toHaveLength(2);
  });

  it('that does not become ready gives way to the one before', async () => {
    await pack('one');
    const motors = follow();
    await offers(motors, 1);
    motors.follower.accepted(motors.last);
    await pack('two');
    await motors.follower.refresh();
    expect(motors.follower.rejected(motors.last, 'exit code 1')?.root).toBe(motors.files[0]?.root);
  });

  it('leaves behind only what runs and what ran before', async () => {
    const motors = follow();
    for (const text of ['one', 'two', 'three']) {
      await pack(text);
      await motors.follower.refresh();
      motors.follower.accepted(motors.last);
    }
    await motors.follower.refresh();
    const names = await readdir(path.dirname(motors.last.root));
    const kept = motors.files.slice(1).map(({ root }) => path.basename(root));
    expect(names.filter((name) => !name.endsWith('.json')).sort()).toEqual(kept.sort());
  });

  it('that is missing is said, and taken when it is there', async () => {
    const motors = follow();
    await motors.until(() => motors.missing.length > 0);
    expect(motors.missing).toEqual([`${archive} is not there: build it, or correct executable_path`]);
    await pack('one');
    await offers(motors, 1);
    expect(output(motors)).toBe('one');
  });

  it('that is damaged is refused while the one before goes on', async () => {
    await pack('one');
    const motors = follow();
    await offers(motors, 1);
    await writeFile(archive, (await readFile(archive)).subarray(0, 100));
    await motors.follower.refresh();
    expect(motors.progress.at(-1)?.reason).toContain('module.tar.gz cannot be used: it is no whole .tar.gz');
    expect(motors.files).toHaveLength(1);
    await pack('two');
    await offers(motors, 2);
    expect(output(motors)).toBe('two');
  });
});

describe('a change of reload_path', () => {
  it('loads an archive again when it is whole', async () => {
    await pack('one');
    const motors = follow({ raw: { reload_path: archive } });
    await offers(motors, 1);
    await pack('two');
    const whole = await readFile(archive);
    await writeFile(archive, whole.subarray(0, 50));
    await appendFile(archive, whole.subarray(50));
    await offers(motors, 2);
    expect(output(motors)).toBe('two');
    expect(bench.log).toContain(`info acme_motors: ${archive} has changed: the module is loaded again`);
  });

  it('starts a program again, as other files', async () => {
    const program = path.join(bench.home, 'build', 'program');
    await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
    const motors = follow({ executablePath: program, raw: { reload_path: '~/build/program' } });
    await offers(motors, 1);
    await writeFile(program, '#!/bin/sh\necho new\n');
    await offers(motors, 2);
    expect(motors.files[1]).toEqual(motors.files[0]);
    expect(motors.files[1]).not.toBe(motors.files[0]);
  });

  it('does nothing where it brought nothing that can run', async () => {
    await pack('one');
    const motors = follow({ raw: { reload_path: archive } });
    await offers(motors, 1);
    await writeFile(archive, 'no archive');
    await motors.until(() => motors.progress.some((one) => one?.step === 'rejected'));
    expect(motors.files).toHaveLength(1);
  });

  it('is not followed where reload_enabled is false', async () => {
    await pack('one');
    const still = follow({ name: 'still', raw: { reload_path: archive, reload_enabled: false } });
    const motors = follow({ raw: { reload_path: archive } });
    await Promise.all([offers(still, 1), offers(motors, 1)]);
    await pack('two');
    await offers(motors, 2);
    expect(still.files).toHaveLength(1);
  });

  it('is seen when the file is removed first, and its folder too', async () => {
    await pack('one');
    const motors = follow({ raw: { reload_path: archive } });
    await offers(motors, 1);
    await rm(path.dirname(archive), { recursive: true });
    await mkdir(path.dirname(archive));
    await pack('two');
    await offers(motors, 2);
    expect(output(motors)).toBe('two');
  });
});
