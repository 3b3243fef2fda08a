import type { ItemPage } from '../../shared/machine/data/data-calls.ts';
import { messageOf } from '../../shared/machine/rpc/follow-stream.ts';

/** The page after a token of the page before; '' for the newest. */
export type LoadPage<Item> = (token: string, signal: AbortSignal) => Promise<ItemPage<Item>>;

export interface PagesView<Item> {
  readonly items: readonly Item[];
  /** Of the page that is shown, from 0, which has the newest. */
  readonly number: number;
  readonly hasOlder: boolean;
  readonly isAsking: boolean;
  /** False until the first answer. */
  readonly hasBegun: boolean;
  readonly problem: string;
}

/** Pages of the past, newest first, of which only one is held. A question that nobody waits for any more is given up. */
export class ItemPages<Item> {
  readonly #load: LoadPage<Item>;
  readonly #onChange: (view: PagesView<Item>) => void;
  /** Of the pages from the newest to the one that is shown. */
  #tokens: readonly string[] = [''];
  #olderToken = '';
  #asking: AbortController | undefined;
  #view: PagesView<Item> = { items: [], number: 0, hasOlder: false, isAsking: false, hasBegun: false, problem: '' };

  /** Asks nothing until it is told to. */
  constructor(load: LoadPage<Item>, onChange: (view: PagesView<Item>) => void) {
    this.#load = load;
    this.#onChange = onChange;
  }

  get view(): PagesView<Item> {
    return this.#view;
  }

  /** @returns whether there is one, and it is shown */
  older(): Promise<boolean> {
    return this.#olderToken === '' ? Promise.resolve(false) : this.#show([...this.#tokens, this.#olderToken]);
  }

  newer(): Promise<boolean> {
    return this.#tokens.length < 2 ? Promise.resolve(false) : this.#show(this.#tokens.slice(0, -1));
  }

  newest(): Promise<boolean> {
    return this.#show(['']);
  }

  /** Reads the page that is shown once more. */
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
      // A page that ends with the last item has a token too.
      if (page.items.length === 0 && tokens.length > this.#tokens.length) {
        this.#olderToken = '';
        this.#change({ hasOlder: false, isAsking: false, problem: '' });
        return false;
      }
      // What the page showed was deleted.
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
