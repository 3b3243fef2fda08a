import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock, type Clock } from '../../../base/clock.ts';
import type { LogEntry } from '../log-entry.ts';
import type { LogFilter } from '../log-filter.ts';
import { defaultLogStoreLimits, type LogStoreLimits } from '../stored/log-protocol.ts';
import { openLogStore, type LogStore } from '../stored/log-store.ts';

/** A signal that never aborts. */
export const never = new AbortController().signal;

/** Stores in a folder of their own, for tests. */
export class StoreBench {
  folder = '';
  /** Problems that the stores reported. */
  told: string[] = [];
  #open: LogStore[] = [];

  begin(): void {
    this.folder = path.join(mkdtempSync(path.join(tmpdir(), 'armature-store-')), 'logs', 'bench');
    this.told = [];
  }

  async end(): Promise<void> {
    for (const store of this.#open) await store.close();
    this.#open = [];
    rmSync(path.join(this.folder, '../..'), { recursive: true });
  }

  /** Throws if it cannot be opened. */
  opened(limits: LogStoreLimits = defaultLogStoreLimits, clock: Clock = systemClock): LogStore {
    const store = openLogStore(this.folder, limits, clock, (message) => this.told.push(message));
    if ('reason' in store) throw new Error(store.reason);
    this.#open.push(store);
    return store;
  }

  async close(store: LogStore): Promise<void> {
    this.#open = this.#open.filter((other) => other !== store);
    await store.close();
  }
}

/** A line of a motor, one a second. */
export function entry(seq: number, overrides: Partial<LogEntry> = {}): LogEntry {
  return {
    seq,
    time: 1_000_000 + 1_000 * seq,
    level: 'info',
    logger: 'core.component.motor.left',
    message: `line ${seq}`,
    fields: {},
    resource: undefined,
    caller: undefined,
    repeatCount: 1,
    firstTime: undefined,
    ...overrides,
  };
}

/** Writes this many entries from the store's next number on, in batches of 20. */
export async function filled(store: LogStore, count: number, of = entry): Promise<void> {
  for (let index = 0; index < count; index++) {
    store.write(of(store.nextSeq + index));
    if (index % 20 === 19) await store.drained();
  }
  await store.drained();
}

/** The results of all pages of a search. */
export interface Found {
  /** Oldest first. */
  readonly entries: LogEntry[];
  readonly unreadable: Set<string>;
}

/** All matches, page by page. Throws if a page is larger than requested. */
export async function search(store: LogStore, filter: LogFilter, limit: number): Promise<Found> {
  const found: Found = { entries: [], unreadable: new Set() };
  for (let before: number | undefined = Infinity; before !== undefined;) {
    const page = await store.query(filter, limit, before, never);
    if (page.entries.length > limit) throw new Error(`${page.entries.length} entries in a page of ${limit}`);
    found.entries.unshift(...page.entries);
    for (const sentence of page.unreadable) found.unreadable.add(sentence);
    before = page.olderBeforeSeq;
  }
  return found;
}

/** All matches, oldest first. */
export async function all(store: LogStore, filter: LogFilter = {}, limit = 100): Promise<LogEntry[]> {
  return (await search(store, filter, limit)).entries;
}

export const seqs = (entries: readonly LogEntry[]): number[] => entries.map(({ seq }) => seq);

/** Whole numbers, both ends included. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
