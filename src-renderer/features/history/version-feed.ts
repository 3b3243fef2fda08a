import type { Machine } from '../../shared/machine/machine.ts';
import { everyVersion, type VersionCriteria, type VersionView } from '../../shared/machine/history-view.ts';
import { messageOf } from '../../shared/machine/rpc/follow-stream.ts';

export interface VersionFeedOptions {
  readonly machine: Pick<Machine, 'history'>;
  readonly criteria: VersionCriteria;
  readonly onChange: () => void;
}

const firstPage = 100;
/** The most that is given at once. */
const olderPage = 500;

/**
 * The versions that match, newest first, as far as they were read. Older ones are read when they are asked for; new ones,
 * and changed results and tags of the newest, with each refresh.
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
  /** How far down somebody looks: index that is to be there. */
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

  /** Of all versions, whether it matches or not; undefined before it was read, and where there is none. */
  get newest(): VersionView | undefined {
    return this.#newest;
  }

  /** A first answer came. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** False where no hub keeps a history. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Why the history could not be read; '' where it could. What was read before stays. */
  get problem(): string {
    return this.#problem;
  }

  stop(): void {
    this.#ending.abort();
  }

  /** Reads the newest again. One at a time; asked for meanwhile, it is done once more. */
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

  /** Reads on until the version at `index` is there. */
  loadTo(index: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, index);
    this.#reading ??= this.#attempt(() => this.#readOlder()).finally(() => {
      this.#reading = undefined;
      this.#wanted = 0;
    });
    return this.#reading;
  }

  /** A version was given other words. */
  replace(version: VersionView): void {
    this.#versions = this.#versions.map((each) => (each.number === version.number ? version : each));
    if (this.#newest?.number === version.number) this.#newest = version;
    this.#options.onChange();
  }

  async #readNewest(): Promise<void> {
    const { history } = this.#options.machine;
    const { signal } = this.#ending;
    const isAll = isEvery(this.criteria);
    const [page, newest] = await Promise.all([
      history.list(this.criteria, '', firstPage, signal),
      isAll ? undefined : history.list(everyVersion, '', 1, signal),
    ]);
    if (signal.aborted) return;
    this.#isKept = page !== 'not kept';
    if (page === 'not kept' || newest === 'not kept') return;
    const last = page.versions.at(-1)?.number ?? 0;
    const [first] = this.#versions;
    // What was read further down stays, unless there may be more between than this page has.
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
      // The newest were read anew meanwhile, and with them where this page joins.
      if (token !== this.#olderToken) continue;
      const last = this.#versions.at(-1)?.number ?? Infinity;
      this.#versions = [...this.#versions, ...page.versions.filter(({ number }) => number < last)];
      this.#olderToken = page.olderToken;
      // A page counts from its own moment: what is here is at least there.
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

/** Whether nothing is left out. */
export function isEvery({ text, resource, isTagged }: VersionCriteria): boolean {
  return text === '' && resource === '' && !isTagged;
}
