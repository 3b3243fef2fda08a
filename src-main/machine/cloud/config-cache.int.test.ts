import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { revisionOf } from '../../base/revision.ts';
import { ConfigCache, type CachedConfig } from './config-cache.ts';

const text = JSON.stringify({ auth: { handlers: [{ type: 'api-key', config: { a: 'top-secret' } }] } });
const config: CachedConfig = {
  text,
  revision: revisionOf(text),
  number: 3,
  leftRevision: '',
  membership: {
    organizationId: 'o',
    locationId: 'l',
    machineId: 'm',
    machineName: 'bench',
    partName: 'main',
    fqdn: 'bench.l.armature.local',
    keys: [{ id: 'k', sha256: 'ab'.repeat(32), role: 'owner' }],
  },
};

describe('ConfigCache', () => {
  let home = '';
  let folder = '';
  let errors: string[] = [];
  const logger: Logger = { ...silentLogger, error: (message) => void errors.push(message) };

  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'armature-cache-'));
    folder = path.join(home, 'cloud', 'part-1');
    errors = [];
  });

  afterEach(() => rm(home, { recursive: true, force: true }));

  const secretsFile = async (): Promise<string> => {
    const [file = '', ...more] = (await readdir(folder)).filter((name) => name.startsWith('secrets-'));
    expect(more).toEqual([]);
    return path.join(folder, file);
  };

  it('gives back what was stored, and has nothing before', async () => {
    const cache = new ConfigCache(folder, logger);
    expect(await cache.load()).toBeUndefined();
    await cache.store(config);
    await cache.store({ ...config, number: 4, leftRevision: 'r' });
    expect(await new ConfigCache(folder, logger).load()).toEqual({ ...config, number: 4, leftRevision: 'r' });
    expect(errors).toEqual([]);
  });

  it('secrets and key digests lie in a second file; both are for this user alone, whatever they were', async () => {
    const cache = new ConfigCache(folder, logger);
    await cache.store(config);
    await chmod(path.join(folder, 'config.json'), 0o644);
    await cache.store(config);
    const main = await readFile(path.join(folder, 'config.json'), 'utf8');
    expect(main).not.toMatch(/top-secret|abab/);
    expect(await readFile(await secretsFile(), 'utf8')).toMatch(/top-secret.*abab/s);
    for (const file of await readdir(folder)) {
      expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it.each<[string, () => Promise<void>]>([
    ['a torn main file', () => writeFile(path.join(folder, 'config.json'), '{"revision":')],
    ['a main file of another form', () => writeFile(path.join(folder, 'config.json'), '{"pieces": 3}')],
    ['an empty main file', () => writeFile(path.join(folder, 'config.json'), '')],
    [
      'another number',
      async () => {
        const file = path.join(folder, 'config.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace('"number":3', '"number":8'));
      },
    ],
    ['no secrets', async () => rm(await secretsFile())],
    ['secrets of another text', async () => writeFile(await secretsFile(), '{"secrets": ["\\"other\\""]}')],
    ['torn secrets', async () => writeFile(await secretsFile(), '{"secrets": [')],
  ])('%s: it is put aside with a sentence that names it, never used', async (_name, damage) => {
    const cache = new ConfigCache(folder, logger);
    await cache.store(config);
    await damage();
    expect(await cache.load()).toBeUndefined();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`was moved to ${folder}.damaged`);
    expect(errors[0]).not.toContain('top-secret');
    expect((await readdir(`${folder}.damaged`)).length).toBeGreaterThan(0);
    // It continues like a new cache.
    await cache.store(config);
    expect(await cache.load()).toEqual(config);
  });

  it('shows who only looks what is there, and leaves what is damaged as it is', async () => {
    const cache = new ConfigCache(folder, logger);
    expect(await cache.peek()).toBeUndefined();
    await cache.store(config);
    expect(await cache.peek()).toEqual(config);
    await writeFile(path.join(folder, 'config.json'), '{');
    expect(await cache.peek()).toBeUndefined();
    expect(await readFile(path.join(folder, 'config.json'), 'utf8')).toBe('{');
    expect(errors).toEqual([]);
  });

  it('whatever a disk did to its bytes: it is what was stored, or it is not used', async () => {
    const cache = new ConfigCache(folder, silentLogger);
    const damages = fc.record({
      isMain: fc.boolean(),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      how: fc.oneof(
        fc.record({ kind: fc.constant('cut' as const) }),
        fc.record({ kind: fc.constant('byte' as const), value: fc.nat(255) }),
        fc.record({ kind: fc.constant('bytes' as const), value: fc.uint8Array({ minLength: 1, maxLength: 200 }) }),
      ),
    });
    const outcomes = { used: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(damages, async ({ isMain, at, how }) => {
        await cache.store(config);
        const file = isMain ? path.join(folder, 'config.json') : await secretsFile();
        const bytes = await readFile(file);
        const place = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
        if (how.kind === 'byte') bytes[place] = how.value;
        if (how.kind === 'bytes') bytes.set(how.value.subarray(0, bytes.length - place), place);
        await writeFile(file, how.kind === 'cut' ? bytes.subarray(0, place) : bytes);
        const found = await cache.load();
        if (found !== undefined) expect(found).toEqual(config);
        outcomes[found === undefined ? 'refused' : 'used']++;
      }),
      { numRuns: 200 },
    );
    expect(outcomes.refused).toBeGreaterThan(100);
  });

  it('a membership of another form is left out, and the text is used', async () => {
    const cache = new ConfigCache(folder, logger);
    await cache.store(config);
    const file = await secretsFile();
    const rest = JSON.parse(await readFile(file, 'utf8')) as { membership: { keys: unknown } };
    rest.membership.keys = [{ id: 'k', sha256: 'short' }];
    const restText = JSON.stringify(rest);
    await writeFile(file, restText);
    const main = path.join(folder, 'config.json');
    const { sum: _sum, ...facts } = JSON.parse(await readFile(main, 'utf8')) as { sum: string };
    const sum = createHash('sha256')
      .update(`${JSON.stringify(facts)}\n${restText}`)
      .digest('hex');
    await writeFile(main, JSON.stringify({ ...facts, sum }));
    expect(await cache.load()).toEqual({ ...config, membership: undefined });
  });

  it('a folder that cannot be made is told of, and nothing fails', async () => {
    const warnings: string[] = [];
    await writeFile(path.join(home, 'cloud'), 'a file');
    const cache = new ConfigCache(folder, { ...silentLogger, warn: (message) => void warnings.push(message) });
    await cache.store(config);
    expect(warnings[0]).toContain(folder);
  });
});
