import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCpuProfile } from './cpu-profile.ts';
import { dumpResources } from './dump-resources.ts';
import type { ModelDescription } from '../catalog/model.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'armature-options-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('-dump-resources', () => {
  const model = (api: string, name: string): ModelDescription => ({
    api: `core:component:${api}`,
    model: `core:builtin:${name}`,
    summary: '',
    schema: { type: 'object', properties: {} },
    inPlace: [],
    isActuator: false,
    mayCoexist: false,
  });

  it('writes models sorted by API, then model, indented by tabs, for the owner only', async () => {
    const path = join(folder, 'resources.json');
    writeFileSync(path, 'old');
    chmodSync(path, 0o644);
    await dumpResources(path, [model('motor', 'gpio'), model('board', 'fake'), model('motor', 'fake')]);
    const text = readFileSync(path, 'utf8');
    const entries = JSON.parse(text) as { api: string; model: string; attribute_schema: unknown }[];
    expect(entries.map((entry) => [entry.api, entry.model])).toEqual([
      ['core:component:board', 'core:builtin:fake'],
      ['core:component:motor', 'core:builtin:fake'],
      ['core:component:motor', 'core:builtin:gpio'],
    ]);
    expect(entries[0]?.attribute_schema).toEqual({ type: 'object', properties: {} });
    expect(text).toMatch(/^\[\n\t\{\n\t\t"api"/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('says which file it cannot write', async () => {
    await expect(dumpResources(join(folder, 'no/file.json'), [])).rejects.toMatchObject({
      code: 'file.unwritable',
      message: expect.stringContaining('no/file.json') as string,
    });
  });
});

describe('-cpuprofile', () => {
  it('writes a profile that viewers read, once', async () => {
    const path = join(folder, 'run.cpuprofile');
    const profile = await startCpuProfile(path);
    await profile.stop();
    await profile.stop();
    const written = JSON.parse(readFileSync(path, 'utf8')) as { nodes: unknown[]; startTime: number; endTime: number };
    expect(written.nodes.length).toBeGreaterThan(0);
    expect(written.endTime).toBeGreaterThanOrEqual(written.startTime);
  });

  it('says at once which file it cannot write', async () => {
    await expect(startCpuProfile(join(folder, 'no/run.cpuprofile'))).rejects.toMatchObject({
      code: 'file.unwritable',
      message: expect.stringContaining('no/run.cpuprofile') as string,
    });
  });
});
