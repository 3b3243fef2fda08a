import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { writeAll, writeAllSync } from './descriptor-write.ts';
import type { LogFileLimits } from './log-file.ts';
import type { LineTarget } from './line-writer.ts';
import { endLine, endOf, fromStoredLine, MAX_STORED_LINE, placeOf } from './stored-line.ts';

/** One file of the stored log. */
export interface Segment {
  readonly path: string;
  /** Sequence number of its first entry: its name. */
  readonly firstSeq: number;
}

const NAME = /^log-(\d{16})\.jsonl$/;
/** Holds the last whole line, however many bytes its characters have, and one that was torn after it. */
const LAST_BYTES = 2 * MAX_STORED_LINE * 3;
const NEWLINE = 0x0a;

/**
 * What a run that was killed may have logged and not stored. Its numbers were
 * perhaps shown to somebody, so the next run does not use them again.
 */
export const UNCLEAN_GAP = 1_000_000;

/**
 * The files of the stored log, oldest first, and the writing of the newest. A
 * file is named after its first entry, so that the names are the index of all,
 * and is never renamed: a reader may hold on to it.
 */
export class LogSegments implements LineTarget {
  readonly #folder: string;
  readonly #limits: LogFileLimits;
  #segments: Segment[];
  #descriptor: number | undefined;
  /**
   * What is surely in the newest file, bytes, and where the next write goes. Last words that overtake a write carry
   * its text too and go to the same place: whichever comes later writes what is there already.
   */
  #size = 0;
  /** An earlier run was killed in the middle of a line: what comes next begins a new one. */
  #isTorn = false;

  /** Opens a folder that exists. Throws as the file system does. */
  constructor(folder: string, limits: LogFileLimits) {
    this.#folder = folder;
    this.#limits = limits;
    this.#segments = readdirSync(folder)
      .flatMap((name) => {
        const firstSeq = NAME.exec(name)?.[1];
        return firstSeq === undefined ? [] : [{ path: path.join(folder, name), firstSeq: Number(firstSeq) }];
      })
      .sort((one, other) => one.firstSeq - other.firstSeq);
    // Says now, and not with the first entry, that the folder cannot be written.
    const newest = this.#segments.at(-1);
    if (newest !== undefined) this.#openLast(newest.path);
  }

  /** Oldest first. */
  get list(): readonly Segment[] {
    return this.#segments;
  }

  /** The number that a run goes on with, after what its predecessors stored. */
  nextSeq(): number {
    const newest = this.#segments.at(-1);
    if (newest === undefined || this.#descriptor === undefined) return 1;
    const start = Math.max(0, this.#size - LAST_BYTES);
    const bytes = Buffer.alloc(this.#size - start);
    const reader = openSync(newest.path, 'r');
    const count = readSync(reader, bytes, 0, bytes.length, start);
    closeSync(reader);
    this.#isTorn = count > 0 && bytes[count - 1] !== NEWLINE;
    const lines = bytes
      .toString('utf8', 0, count)
      .split('\n')
      .filter((line) => line !== '');
    const end = endOf(lines.at(-1) ?? '');
    if (end !== undefined) return end + 1;
    const last = lines.findLast((line) => fromStoredLine(line) !== undefined);
    const lastSeq = last === undefined ? newest.firstSeq : (placeOf(last)?.seq ?? newest.firstSeq);
    return lastSeq + UNCLEAN_GAP;
  }

  async write(text: string): Promise<void> {
    const isFull = this.#size > 0 && this.#size + Buffer.byteLength(text) >= this.#limits.maxBytes;
    if (isFull) this.#begin(placeOf(text)?.seq);
    const { descriptor, bytes } = this.#prepare(text);
    const start = this.#size;
    try {
      await writeAll(descriptor, bytes, start);
    } catch (thrown) {
      // Half a line of it would stand behind what is written there next, if that is shorter.
      if (this.#size === start) ftruncateSync(descriptor, start);
      throw thrown;
    }
    this.#written(start + bytes.length);
  }

  /** Begins no new file: a write that is under way may still need this one. */
  writeSync(text: string): void {
    const { descriptor, bytes } = this.#prepare(text);
    writeAllSync(descriptor, bytes, this.#size);
    this.#written(this.#size + bytes.length);
    fsyncSync(descriptor);
  }

  /** Marks that the run ended in order, after this entry. */
  end(lastSeq: number): void {
    if (this.#descriptor === undefined) return;
    try {
      this.writeSync(endLine(lastSeq));
    } catch {
      // A full disk: without the mark the next run leaves a gap in the numbers, which is what it is for.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #prepare(text: string): { descriptor: number; bytes: Buffer } {
    if (this.#descriptor === undefined) this.#begin(placeOf(text)?.seq);
    return { descriptor: this.#descriptor as number, bytes: Buffer.from(this.#isTorn ? `\n${text}` : text) };
  }

  #written(size: number): void {
    this.#size = Math.max(this.#size, size);
    this.#isTorn = false;
  }

  /** Begins a file for what starts at this number; where it starts with no entry, the present file is kept. */
  #begin(firstSeq: number | undefined): void {
    if (firstSeq === undefined && this.#descriptor !== undefined) return;
    const seq = firstSeq ?? 1;
    const file = path.join(this.#folder, `log-${String(seq).padStart(16, '0')}.jsonl`);
    const full = this.#descriptor;
    this.#openLast(file);
    this.#isTorn = false;
    if (full !== undefined) closeSync(full);
    if (!this.#segments.some((segment) => segment.path === file)) this.#segments.push({ path: file, firstSeq: seq });
    while (this.#segments.length > this.#limits.files) {
      const oldest = this.#segments.shift();
      if (oldest !== undefined) rmSync(oldest.path, { force: true });
    }
  }

  #openLast(file: string): void {
    this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#size = fstatSync(this.#descriptor).size;
  }
}
