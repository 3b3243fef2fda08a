import { describe, expect, it } from 'vitest';
import { silentLogger, type Logger } from '../../../base/logger.ts';
import { BlockWriter } from './block-writer.ts';
import type { BlockStore } from './record-files.ts';

class FakeStore implements BlockStore {
  nextSequence = 1;
  failure: Error | undefined;
  /** The disk does not answer until this settles. */
  held: Promise<void> = Promise.resolve();
  readonly done: string[] = [];

  keep(records: Uint8Array): Promise<void> {
    return this.#write(`keep ${Buffer.from(records).toString()}`);
  }

  async append(_times: unknown, records: Uint8Array): Promise<void> {
    await this.#write(`append ${this.nextSequence} ${Buffer.from(records).toString()}`);
    this.nextSequence++;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #write(what: string): Promise<void> {
    await this.held;
    if (this.failure !== undefined) throw this.failure;
    this.done.push(what);
  }
}

function setUp(store = new FakeStore()) {
  const log: string[] = [];
  const say =
    (level: string) =>
    (message: string): void =>
      void log.push(`${level}: ${message}`);
  const logger: Logger = { ...silentLogger, warn: say('warn'), info: say('info') };
  let openFailure: Error | undefined;
  const open = (): Promise<BlockStore> =>
    openFailure === undefined ? Promise.resolve(store) : Promise.reject(openFailure);
  const writer = new BlockWriter({ open, now: () => 7, logger });
  const block = (text: string) => ({ firstMs: 0, lastMs: 0, records: Buffer.from(text) });
  return { store, log, writer, block, failOpening: (failure: Error | undefined) => (openFailure = failure) };
}

const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const FULL = 'warn: Diagnostics are not recorded: the disk is full. It is tried again each minute.';
const AGAIN = 'info: Diagnostics are recorded again.';
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a writer of blocks', () => {
  it('writes in order what it is given, without waiting', async () => {
    const { store, writer, block } = setUp();
    writer.keep(Buffer.from('a'));
    writer.complete(block('ab'));
    writer.keep(Buffer.from('c'));
    const unwritten = (): unknown[] =>
      writer.unwritten(Buffer.from('c')).map(({ sequence, records }) => [sequence, Buffer.from(records).toString()]);
    // What is on the disk is not known yet.
    expect(unwritten()).toEqual([[Infinity, 'ab'], [Infinity, 'c']]); // prettier-ignore
    await settled();
    expect(store.done).toEqual(['keep a', 'append 1 ab', 'keep c']);
    expect(unwritten()).toEqual([[2, 'c']]);
  });

  it('says once that the disk is full, keeps nothing that would not fit, and goes on with the next block that it takes', async () => {
    const { store, log, writer, block } = setUp();
    writer.keep(Buffer.from('a'));
    await settled();
    store.failure = full();
    for (const text of ['b', 'c']) {
      writer.keep(Buffer.from(text));
      writer.complete(block(`whole ${text}`));
      await settled();
    }
    expect(writer.state).toEqual({ kind: 'stopped', reason: 'the disk is full', sinceMs: 7 });
    store.failure = undefined;
    // Of a block that is incomplete on the disk.
    writer.keep(Buffer.from('d'));
    await settled();
    expect(writer.state.kind).toBe('stopped');
    writer.complete(block('whole d'));
    writer.keep(Buffer.from('e'));
    await settled();
    writer.keep(Buffer.from('f'));
    await settled();
    expect(store.done).toEqual(['keep a', 'append 1 whole d', 'keep e', 'keep f']);
    expect(log).toEqual([FULL, AGAIN]);
    expect(writer.state).toEqual({ kind: 'writing' });
  });

  it('lets go of what a disk that hangs does not take, and keeps nothing of a block of which something is missing', async () => {
    const { store, writer, block } = setUp();
    let goOn = (): void => undefined;
    store.held = new Promise((resolve) => (goOn = resolve));
    for (let at = 0; at < 9; at++) {
      writer.keep(Buffer.from(`piece ${at}`));
      writer.complete(block(`whole ${at}`));
    }
    writer.keep(Buffer.from('lost'));
    goOn();
    await settled();
    writer.keep(Buffer.from('of the same block'));
    writer.complete(block('whole 9'));
    writer.keep(Buffer.from('of the next'));
    await settled();
    expect(store.done).toEqual([
      'keep piece 0',
      'append 1 whole 0',
      'keep piece 1',
      ...[1, 2, 3, 4].map((at) => `append ${at + 1} whole ${at}`),
      'append 6 whole 9',
      'keep of the next',
    ]);
  });

  it('tries to open its files again with the next block', async () => {
    const { store, log, writer, block, failOpening } = setUp();
    failOpening(new Error('the folder is in use by process 7'));
    await writer.open();
    writer.keep(Buffer.from('a'));
    await settled();
    expect(log).toEqual([
      'warn: Diagnostics are not recorded: the folder is in use by process 7. It is tried again each minute.',
    ]);
    failOpening(undefined);
    writer.complete(block('whole'));
    await settled();
    expect(store.done).toEqual(['append 1 whole']);
    expect(log.at(-1)).toBe(AGAIN);
  });
});
