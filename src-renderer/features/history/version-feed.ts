import type { Machine } from '../../shared/machine/machine.ts';
import { everyVersion, type VersionCriteria, type VersionView } from '../../shared/machine/history-view.ts';
import { messageOf } from '../../shared/machine/rpc/follow-stream.ts';

export interface VersionFeedOptions {
  readonly machine: Pick<Machine, 'history'>;
  readonly criteria: VersionCriteria;
  readonly onChange: () => void;
}

const firstPage = 100;
/** The most that the hub gives in one answer. */
const olderPage = 500;

/**
 * The matching versions, newest first, as far as they have been read. Older ones are read on demand; each refresh reads
 * new ones, and changed results and tags of the newest.
 */
export class VersionFeed {
  readonly criteria: VersionCriteria;
  readonly #options: VersionFeedOptions;
  readonly #ending = new AbortController();
  #versions: readonly VersionView[] = [];
  #total = 0;
  #newest: VersionView | undefined;
  #olderToken = '';
  #problem = '';
  #hasBegun = false;
  #isKept = true;
  /** The highest index that was asked for. */
  #wanted = 0;
  #reading: Promise<void> | undefined;
  #refreshing: Promise<void> | undefined;
  #isRefreshDue = false;

  constructor(options: VersionFeedOptions) {
    this.#options = options;
    this.criteria = options.criteria;
  }

  /** The newest `versions.length` of `total`. */
  get versions(): readonly VersionView[] {
    return this.#versions;
  }

  get total(): number {
    return this.#total;
  }

  /** The newest of all versions, whether it matches or not; undefined before it was read, and if there is none. */
  get newest(): VersionView | undefined {
    return this.#newest;
  }

  /** Whether a first answer or failure came. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** False if no hub keeps a history. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Why the history could not be read; '' if it could. What was read before stays. */
  get problem(): string {
    return this.#problem;
  }

  stop(): void {
    this.#ending.abort();
  }

  /** Reads the newest again, one read at a time. Calls during a read cause one more. */
  refresh(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#isRefreshDue = true;
      return this.#refreshing;
    }
    this.#refreshing = this.#refreshAll().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refreshAll(): Promise<void> {
    do {
      this.#isRefreshDue = false;
      await this.#attempt(() => this.#readNewest());
    } while (this.#isRefreshDue && !this.#ending.signal.aborted);
  }

  /** Reads older versions up to the one at `index`. */
  loadTo(index: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, index);
    this.#reading ??= this.#attempt(() => this.#readOlder()).finally(() => {
      this.#reading = undefined;
      this.#wanted = 0;
    });
    return this.#reading;
  }

  /** Replaces a version whose tag or note was edited. */
  replace(version: VersionView): void {
    this.#versions = this.#versions.map((each) => (each.number === version.number ? version : each));
    if (this.#newest?.number === version.number) this.#newest = version;
    this.#options.onChange();
  }

  async #readNewest(): Promise<void> {
    const { history } = this.#options.machine;
    const { signal } = this.#ending;
    const isAll = isUnfiltered(this.criteria);
    const [page, newest] = await Promise.all([
      history.list(this.criteria, '', firstPage, signal),
      isAll ? undefined : history.list(everyVersion, '', 1, signal),
    ]);
    if (signal.aborted) return;
    this.#isKept = page !== 'not kept';
    if (page === 'not kept' || newest === 'not kept') return;
    const last = page.versions.at(-1)?.number ?? 0;
    const [first] = this.#versions;
    // Keeps what was read further down, unless versions between it and this page may be missing.
    const isJoined = first !== undefined && page.olderToken !== '' && last <= first.number;
    const older = isJoined ? this.#versions.filter(({ number }) => number < last) : [];
    this.#versions = [...page.versions, ...older];
    if (older.length === 0) this.#olderToken = page.olderToken;
    this.#total = Math.max(page.total, this.#versions.length);
    this.#newest = (newest ?? page).versions[0];
  }

  async #readOlder(): Promise<void> {
    const { signal } = this.#ending;
    while (this.#olderToken !== '' && this.#versions.length <= this.#wanted) {
      const token = this.#olderToken;
      const page = await this.#options.machine.history.list(this.criteria, token, olderPage, signal);
      if (signal.aborted || page === 'not kept') return;
      // The newest were read anew meanwhile, so this page may no longer follow what is here.
      if (token !== this.#olderToken) continue;
      const last = this.#versions.at(-1)?.number ?? Infinity;
      this.#versions = [...this.#versions, ...page.versions.filter(({ number }) => number < last)];
      this.#olderToken = page.olderToken;
      // The total was counted at another moment: at the end, what is here counts.
      if (page.olderToken === '') this.#total = this.#versions.length;
      this.#options.onChange();
    }
  }

  async #attempt(read: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    try {
      await read();
      if (signal.aborted) return;
      this.#problem = '';
    } catch (thrown) {
      if (signal.aborted) return;
      this.#problem = messageOf(thrown);
    }
    this.#hasBegun = true;
    this.#options.onChange();
  }
}

/** Whether the criteria leave nothing out. */
export function isUnfiltered({ text, resource, isTagged }: VersionCriteria): boolean {
  return text === '' && resource === '' && !isTagged;
}
