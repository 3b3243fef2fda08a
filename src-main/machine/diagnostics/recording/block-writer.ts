import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { isFullDisk, type BlockStore } from './record-files.ts';
import type { BlockSink, EncodedBlock } from './recorder.ts';

/** Whether records reach the disk. */
export type WritingState =
  { readonly kind: 'writing' } | { readonly kind: 'stopped'; readonly reason: string; readonly sinceMs: number };

/** A block that is not on the disk yet, or never will be. */
export interface UnwrittenBlock {
  /** The number that it will have on the disk; Infinity if that is unknown. */
  readonly sequence: number;
  readonly records: Uint8Array;
}

/** Full blocks that may wait for a hanging disk; later ones are lost. */
const MAX_PENDING = 5;

export interface BlockWriterOptions {
  /** Opens the files; if that fails, the next block tries again. */
  readonly open: () => Promise<BlockStore>;
  readonly now: () => number;
  readonly logger: Logger;
}

/**
 * Writes blocks to the disk, in order, while the recorder continues. A failure is reported once and the write is tried
 * again with each block, once a minute: failed blocks are lost, later ones are recorded again.
 */
export class BlockWriter implements BlockSink {
  readonly #options: BlockWriterOptions;
  #store: BlockStore | undefined;
  #state: WritingState = { kind: 'writing' };
  /** Never rejects. */
  #work: Promise<void> = Promise.resolve();
  #pending: EncodedBlock[] = [];
  #nextSequence = 1;
  /** Number of blocks received. */
  #block = 0;
  /** The block that is missing records because the disk is slow: no more of its records are kept before it is full. */
  #incomplete = -1;
  /**
   * A write failed: no records of an open block are kept until a full block is on the disk. New records would not fit
   * those that are there.
   */
  #isBroken = false;

  constructor(options: BlockWriterOptions) {
    this.#options = options;
  }

  get state(): WritingState {
    return this.#state;
  }

  /**
   * Full blocks that wait for the disk, and the open block.
   * @param open its records so far
   */
  unwritten(open: Uint8Array): readonly UnwrittenBlock[] {
    const all = [...this.#pending.map(({ records }) => records), open];
    return all.map((records, index) => ({
      sequence: this.#store === undefined ? Infinity : this.#nextSequence + index,
      records,
    }));
  }

  /** Opens the files, including those that a killed process left. */
  open(): Promise<void> {
    this.#enqueue(() => Promise.resolve());
    return this.#work;
  }

  keep(records: Uint8Array): void {
    const block = this.#block;
    if (this.#pending.length > 1) this.#incomplete = block;
    if (this.#incomplete === block) return;
    // After earlier writes, because one of them may fail first.
    this.#enqueue(
      (store) => store.keep(records),
      () => !this.#isBroken,
    );
  }

  complete(block: EncodedBlock): void {
    this.#block++;
    if (this.#pending.length >= MAX_PENDING) return;
    this.#pending.push(block);
    this.#enqueue(async (store) => {
      await store.append({ firstMs: block.firstMs, lastMs: block.lastMs }, block.records);
      this.#isBroken = false;
    });
    this.#work = this.#work.then(() => {
      this.#pending = this.#pending.filter((one) => one !== block);
      this.#nextSequence = this.#store?.nextSequence ?? this.#nextSequence;
    });
  }

  async close(): Promise<void> {
    await this.#work;
    await this.#store?.close().catch(() => undefined); // nothing is left to write
    this.#store = undefined;
  }

  /** @param isWanted asked when its turn comes */
  #enqueue(write: (store: BlockStore) => Promise<void>, isWanted = (): boolean => true): void {
    this.#work = this.#work.then(async () => {
      if (!isWanted()) return;
      try {
        this.#store ??= await this.#opened();
        await write(this.#store);
        if (!this.#isBroken) this.#goesOn();
      } catch (thrown) {
        this.#isBroken = true;
        this.#stops(thrown);
      }
    });
  }

  async #opened(): Promise<BlockStore> {
    const store = await this.#options.open();
    this.#nextSequence = store.nextSequence;
    return store;
  }

  #stops(thrown: unknown): void {
    if (this.#state.kind === 'stopped') return;
    const message = toArmatureError(thrown).message.replace(/\.$/, '');
    const reason = isFullDisk(thrown) && !(thrown instanceof ArmatureError) ? 'the disk is full' : message;
    this.#state = { kind: 'stopped', reason, sinceMs: this.#options.now() };
    this.#options.logger.warn(`Diagnostics are not recorded: ${reason}. It is tried again each minute.`);
  }

  #goesOn(): void {
    if (this.#state.kind === 'writing') return;
    this.#state = { kind: 'writing' };
    this.#options.logger.info('Diagnostics are recorded again.');
  }
}
