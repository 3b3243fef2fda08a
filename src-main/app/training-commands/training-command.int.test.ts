import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { HubStation } from '../hub/hub-station.ts';
import type { ModuleIo } from '../module-commands/module-io.ts';
import { trainingCommand } from './training-command.ts';

describe('armature training', () => {
  let folder = '';
  let hub: HubStation;
  let io: ModuleIo;
  let out = '';
  let errors = '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-training-'));
    hub = await HubStation.open({
      address: path.join(folder, 'hub'),
      folder: path.join(folder, 'hub'),
      clock: systemClock,
      logger: silentLogger,
      isDebug: false,
      bind: { host: '127.0.0.1', port: 0 },
      isTlsOff: true,
      allowsInsecureCreds: false,
      allowedOrigins: [],
      onLost: () => undefined,
      pageFolder: undefined,
    });
    await hub.listen();
    const key = hub.firstStart?.ownerKey;
    io = {
      stdout: (text) => (out += text),
      stderr: (text) => (errors += text),
      env: { SVC_HUB: hub.url, SVC_API_KEY_ID: key?.id, SVC_API_KEY: key?.secret, SVC_HOME: path.join(folder, 'home') },
      cwd: folder,
      root: folder,
      signal: new AbortController().signal,
    };
    await mkdir(path.join(folder, 'mine/model'), { recursive: true });
    await writeFile(path.join(folder, 'mine/setup.py'), 'from setuptools import setup\n');
    await writeFile(path.join(folder, 'mine/model/training.py'), 'print("trained")\n');
  });

  afterEach(async () => {
    await hub.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  const run = async (...args: string[]): Promise<number> => {
    [out, errors] = ['', ''];
    return trainingCommand(args, io);
  };
  const upload = (version: string, ...more: string[]): Promise<number> =>
    run('upload', 'mine', '--name', 'mine', '--version', version, ...more);

  it('uploads a script, lists it, and deletes it', async () => {
    expect(await upload('1.0.0', '--type', 'object_detection', '--json')).toBe(0);
    const item = `${hub.firstStart?.organizationId ?? ''}:mine`;
    expect(JSON.parse(out)).toEqual({
      ...{ registry_item_id: item, version: '1.0.0', type: 'ml_training' },
      ...{ model_type: 'object_detection', visibility: 'private' },
    });
    expect(await run('list', '--json')).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      { registry_item_id: item, version: '1.0.0', model_type: 'object_detection' },
    ]);
    expect(await upload('1.0.0')).toBe(1);
    expect(errors).toMatch(/mine 1.0.0 is there already/);
    expect(await upload('1.0.1', '--public')).toBe(0);
    expect(out).toBe(`uploaded mine 1.0.1; jobs name it as "${item}"\n`);
    expect(await run('list')).toBe(0);
    expect(out).toMatch(/:mine {2}1\.0\.1 {2}\d{4}-\d\d-\d\d {2}public\n/);
    expect(await run('delete', 'mine', '1.0.0')).toBe(0);
    expect(await run('delete', 'mine', '1.0.0')).toBe(1);
    await run('delete', 'mine', '1.0.1');
    await run('list');
    expect(out).toBe('no training scripts\n');
  });

  it.each([
    [['upload', 'empty', '--name', 'a', '--version', '1'], /it has no setup\.py and no model\/training\.py/],
    [['upload', 'mine/setup.py', '--name', 'a', '--version', '1'], /is no folder and no \.tar\.gz/],
    [['upload', 'mine', '--name', 'a b', '--version', '1'], /name "a b" is not allowed/],
    [['upload', 'mine', '--name', 'a', '--version', 'latest'], /it is the name of a channel/],
    [['upload', 'mine', '--name', 'a', '--version', '1', '--type', 'x'], /--type is "x"/],
    [['upload', 'mine', '--version', '1'], /--name is missing/],
  ])('refuses %j before anything is sent', async (args, message) => {
    await mkdir(path.join(folder, 'empty'));
    expect(await run(...args)).toBe(2);
    expect(errors).toMatch(message);
    await run('list');
    expect(out).toBe('no training scripts\n');
  });

  it('says what cannot be read', async () => {
    expect(await run('upload', 'none', '--name', 'a', '--version', '1')).toBe(1);
    expect(errors).toMatch(/none cannot be read/);
  });
});
