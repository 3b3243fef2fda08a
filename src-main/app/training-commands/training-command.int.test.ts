import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandHub } from '../testing/command-hub.ts';
import { trainingCommand } from './training-command.ts';

describe('armature training', () => {
  let bench: CommandHub;

  beforeEach(async () => {
    bench = await CommandHub.open();
    const { folder } = bench;
    await mkdir(path.join(folder, 'mine/model'), { recursive: true });
    await writeFile(path.join(folder, 'mine/setup.py'), 'from setuptools import setup\n');
    await writeFile(path.join(folder, 'mine/model/training.py'), 'print("trained")\n');
  });

  afterEach(() => bench.close());

  const run = (...args: string[]): Promise<number> => bench.run(trainingCommand, args);
  const upload = (version: string, ...more: string[]): Promise<number> =>
    run('upload', 'mine', '--name', 'mine', '--version', version, ...more);

  it('uploads a script, lists it, and deletes it', async () => {
    expect(await upload('1.0.0', '--type', 'object_detection', '--json')).toBe(0);
    const item = `${bench.hub.firstStart?.organizationId ?? ''}:mine`;
    expect(JSON.parse(bench.out)).toEqual({
      ...{ registry_item_id: item, version: '1.0.0', type: 'ml_training' },
      ...{ model_type: 'object_detection', visibility: 'private' },
    });
    expect(await run('list', '--json')).toBe(0);
    expect(JSON.parse(bench.out)).toMatchObject([
      { registry_item_id: item, version: '1.0.0', model_type: 'object_detection' },
    ]);
    expect(await upload('1.0.0')).toBe(1);
    expect(bench.errors).toMatch(/mine 1.0.0 is there already/);
    expect(await upload('1.0.1', '--public')).toBe(0);
    expect(bench.out).toBe(`uploaded mine 1.0.1; jobs name it as "${item}"\n`);
    expect(await run('list')).toBe(0);
    expect(bench.out).toMatch(/:mine {2}1\.0\.1 {2}\d{4}-\d\d-\d\d {2}public\n/);
    expect(await run('delete', 'mine', '1.0.0')).toBe(0);
    expect(await run('delete', 'mine', '1.0.0')).toBe(1);
    await run('delete', 'mine', '1.0.1');
    await run('list');
    expect(bench.out).toBe('no training scripts\n');
  });

  it.each([
    [['upload', 'empty', '--name', 'a', '--version', '1'], /it has no setup\.py and no model\/training\.py/],
    [['upload', 'mine/setup.py', '--name', 'a', '--version', '1'], /is no folder and no \.tar\.gz/],
    [['upload', 'mine', '--name', 'a b', '--version', '1'], /name "a b" is not allowed/],
    [['upload', 'mine', '--name', 'a', '--version', 'latest'], /it is the name of a channel/],
    [['upload', 'mine', '--name', 'a', '--version', '1', '--type', 'x'], /--type is "x"/],
    [['upload', 'mine', '--version', '1'], /--name is missing/],
  ])('refuses %j before anything is sent', async (args, message) => {
    await mkdir(path.join(bench.folder, 'empty'));
    expect(await run(...args)).toBe(2);
    expect(bench.errors).toMatch(message);
    await run('list');
    expect(bench.out).toBe('no training scripts\n');
  });

  it('says what cannot be read', async () => {
    expect(await run('upload', 'none', '--name', 'a', '--version', '1')).toBe(1);
    expect(bench.errors).toMatch(/none cannot be read/);
  });
});
