import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '../../base/logger.ts';
import { silentLogger } from '../../base/logger.ts';
import { Outbox } from './outbox.ts';

interface Item {
  readonly text: string;
}

describe('what waits for the hub', () => {
  let home = '';
  let folder = '';
  let warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };

  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'armature-outbox-'));
    folder = path.join(home, 'outbox');
    warnings = [];
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const open = async (most: { maxItems?: number; maxChars?: number; folder?: string | undefined } = {}) => {
    const outbox = new Outbox<Item>({
      folder,
      what: 'reports',
      toText: (item) => JSON.stringify(item),
      fromText: (text) => JSON.parse(text) as Item,
      maxItems: 1_000,
      maxChars: 1_000_000,
      logger,
      ...most,
    });
    await outbox.loaded();
    return outbox;
  };
  const texts = (outbox: Outbox<Item>): string[] => outbox.items.map(({ text }) => text);
  const files = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.endsWith('.json'));

  it('is there again after a restart, in order, and whoever comes then is behind it', async () => {
    const first = await open();
    await Promise.all(Array.from({ length: 30 }, (_, index) => first.add({ text: `${index}` })));
    const [told] = first.items;
    if (told !== undefined) first.remove(told);
    await first.close();
    const second = await open();
    await second.add({ text: 'new' });
    expect(texts(second)).toEqual([...Array.from({ length: 29 }, (_, index) => `${index + 1}`), 'new']);
    await second.close();
    expect((await stat(path.join(folder, (await files())[0] ?? ''))).mode & 0o777).toBe(0o600);
    expect(warnings).toEqual([]);
  });

  it('is what was added and not removed, whatever the order and wherever it is restarted', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), text: fc.string({ maxLength: 40 }) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await rm(folder, { recursive: true, force: true });
        let outbox = await open({ maxItems: 8 });
        let model: string[] = [];
        for (const one of steps) {
          if (one.kind === 'add') {
            await outbox.add({ text: one.text });
            model = [...model, one.text].slice(-8);
          } else if (one.kind === 'remove') {
            const item = outbox.items[one.at];
            if (item !== undefined) outbox.remove(item);
            model = model.filter((_, index) => index !== one.at);
          } else {
            await outbox.close();
            outbox = await open({ maxItems: 8 });
          }
          expect(texts(outbox)).toEqual(model);
        }
        await outbox.close();
        expect(await files()).toHaveLength(model.length);
      }),
      { numRuns: 30 },
    );
  });

  it('has a limit of items and one of size; the oldest are let go, which is said once', async () => {
    const outbox = await open({ maxItems: 3, maxChars: 100 });
    for (const text of ['1', '2', '3', '4', '5']) await outbox.add({ text });
    expect(texts(outbox)).toEqual(['3', '4', '5']);
    await outbox.add({ text: 'x'.repeat(80) });
    expect(texts(outbox)).toEqual(['x'.repeat(80)]);
    await outbox.add({ text: 'y'.repeat(500) });
    expect(texts(outbox)).toEqual(['y'.repeat(500)]);
    await outbox.close();
    expect(await files()).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringMatching(/^The hub has been unreachable for long: the oldest of the reports/),
    ]);
  });

  it('passes over a file that a disk has damaged, and says which', async () => {
    const first = await open();
    for (const text of ['1', '2', '3']) await first.add({ text });
    await first.close();
    const [, second = '', third = ''] = (await files()).sort();
    await writeFile(path.join(folder, second), '{"text":');
    await writeFile(path.join(folder, third), 'x'.repeat(4_000_000));
    const again = await open();
    await again.add({ text: '4' });
    expect(texts(again)).toEqual(['1', '4']);
    expect(warnings).toEqual([expect.stringContaining(second), expect.stringContaining(third)]);
    await again.close();
    expect(await files()).toHaveLength(2);
  });

  it('is in memory where another program has the folder, or there can be none', async () => {
    const first = await open();
    await first.add({ text: 'theirs' });
    const second = await open();
    await second.add({ text: 'mine' });
    expect(texts(second)).toEqual(['mine']);
    await second.close();
    expect(warnings).toEqual([expect.stringMatching(/is in use by process \d+: the reports are in memory alone/)]);
    await first.close();
    expect(texts(await open())).toEqual(['theirs']);

    warnings = [];
    await writeFile(path.join(home, 'file'), '');
    const nowhere = await open({ folder: path.join(home, 'file', 'outbox') });
    await nowhere.add({ text: 'kept' });
    await nowhere.add({ text: 'too' });
    expect(texts(nowhere)).toEqual(['kept', 'too']);
    await nowhere.close();
    expect(warnings).toHaveLength(1);
    const unkept = await open({ folder: undefined });
    await unkept.add({ text: 'kept' });
    expect(texts(unkept)).toEqual(['kept']);
    expect(warnings).toHaveLength(1);
  });

  it('what cannot be written is told of once, and what comes later is written when it can be', async () => {
    const outbox = await open();
    await rm(folder, { recursive: true });
    for (const text of ['1', '2']) await outbox.add({ text });
    await outbox.add({ text: '3' });
    expect(texts(outbox)).toEqual(['1', '2', '3']);
    await outbox.close();
    expect(warnings).toEqual([expect.stringContaining('cannot be used')]);
    await expect(readFile(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
