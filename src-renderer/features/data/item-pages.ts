import type { ItemPage } from '../../shared/machine/data/data-calls.ts';
import { messageOf } from '../../shared/machine/rpc/follow-stream.ts';

/** Loads the page at the token that the previous page gave; '' for the newest page. */
export type LoadPage<Item> = (token: string, signal: AbortSignal) => Promise<ItemPage<Item>>;

export interface PagesView<Item> {
  readonly items: readonly Item[];
  /** Number of the shown page; 0 has the newest items. */
  readonly number: number;
  readonly hasOlder: boolean;
  readonly isAsking: boolean;
  /** False until the first answer. */
  readonly hasBegun: boolean;
  readonly problem: string;
}

/** Turns pages of items, newest first, and holds only one page. A new request cancels the one before. */
export class ItemPages<Item> {
  readonly #load: LoadPage<Item>;
  readonly #onChange: (view: PagesView<Item>) => void;
  /** Tokens of the pages from the newest to the shown one. */
  #tokens: readonly string[] = [''];
  #olderToken = '';
  #asking: AbortController | undefined;
  #view: PagesView<Item> = { items: [], number: 0, hasOlder: false, isAsking: false, hasBegun: false, problem: '' };

  /** Loads nothing until a page is asked for. */
  constructor(load: LoadPage<Item>, onChange: (view: PagesView<Item>) => void) {
    this.#load = load;
    this.#onChange = onChange;
  }

  get view(): PagesView<Item> {
    return this.#view;
  }

  /** @returns whether there is an older page and it is shown now */
  older(): Promise<boolean> {
    return this.#olderToken === '' ? Promise.resolve(false) : this.#show([...this.#tokens, this.#olderToken]);
  }

  newer(): Promise<boolean> {
    return this.#tokens.length < 2 ? Promise.resolve(false) : this.#show(this.#tokens.slice(0, -1));
  }

  newest(): Promise<boolean> {
    return this.#show(['']);
  }

  /** Loads the shown page again. */
  again(): Promise<boolean> {
    return this.#show(this.#tokens);
  }

  stop(): void {
    this.#asking?.abort();
    this.#asking = undefined;
  }

  async #show(tokens: readonly string[]): Promise<boolean> {
    this.stop();
    const own = new AbortController();
    this.#asking = own;
    this.#change({ isAsking: true });
    try {
      const page = await this.#load(tokens.at(-1) ?? '', own.signal);
      if (own.signal.aborted) return false;
      this.#asking = undefined;
      // A full page has a token also where it ends with the last item.
      if (page.items.length === 0 && tokens.length > this.#tokens.length) {
        this.#olderToken = '';
        this.#change({ hasOlder: false, isAsking: false, problem: '' });
        return false;
      }
      // All items of the page were deleted.
      if (page.items.length === 0 && tokens.length > 1) return this.#show(tokens.slice(0, -1));
      this.#tokens = tokens;
      this.#olderToken = page.olderToken;
      const number = tokens.length - 1;
      const hasOlder = page.olderToken !== '';
      this.#change({ items: page.items, number, hasOlder, isAsking: false, hasBegun: true, problem: '' });
      return true;
    } catch (thrown) {
      if (own.signal.aborted) return false;
      this.#asking = undefined;
      this.#change({ isAsking: false, problem: messageOf(thrown) });
      return false;
    }
  }

  #change(change: Partial<PagesView<Item>>): void {
    this.#view = { ...this.#view, ...change };
    this.#onChange(this.#view);
  }
}
