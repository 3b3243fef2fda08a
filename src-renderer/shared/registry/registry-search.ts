import type { RegistryModule } from '../../../proto/gen/core/hub/v1/registry.ts';
import { callFailure } from '../machine/rpc/call-failure.ts';
import type { RegistryCalls } from '../machine/registry-view.ts';

/** Each search asks the hub: not for every letter of a word. */
const typingMs = 200;

/** Why a search has no answer. `noRegistry`: what the page is linked to serves none. */
export type SearchProblemKind = 'noRegistry' | 'denied' | 'away' | 'failed';

export interface SearchView {
  /** What the modules are an answer to; undefined before the first. */
  readonly answered: string | undefined;
  readonly modules: readonly RegistryModule[];
  /** Of all pages. */
  readonly total: number;
  readonly hasMore: boolean;
  readonly isAsking: boolean;
  readonly problem: { readonly kind: SearchProblemKind; readonly message: string } | undefined;
}

const nothing: SearchView = {
  answered: undefined,
  modules: [],
  total: 0,
  hasMore: false,
  isAsking: false,
  problem: undefined,
};

const problemKinds: Readonly<Record<string, SearchProblemKind>> = {
  UNIMPLEMENTED: 'noRegistry',
  PERMISSION_DENIED: 'denied',
  UNAUTHENTICATED: 'denied',
  UNAVAILABLE: 'away',
  DEADLINE_EXCEEDED: 'away',
};

/**
 * A search of the registry while it is typed: asks after a pause, gives up the question before, and keeps the answer
 * before until there is another.
 */
export class RegistrySearch {
  readonly #calls: Pick<RegistryCalls, 'search'>;
  readonly #onChange: (view: SearchView) => void;
  #view = nothing;
  #text = '';
  #nextToken = '';
  #asking: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Asks nothing until it is told what. */
  constructor(calls: Pick<RegistryCalls, 'search'>, onChange: (view: SearchView) => void) {
    this.#calls = calls;
    this.#onChange = onChange;
  }

  get view(): SearchView {
    return this.#view;
  }

  /** Searches for a text, at once where nobody is typing it. The text that was asked for last is not asked for again. */
  find(text: string, isTyping: boolean): void {
    const wanted = text.trim();
    const isAsked = this.#asking !== undefined || this.#timer !== undefined || this.#view.answered === wanted;
    if (wanted === this.#text && isAsked) return;
    this.#text = wanted;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (isTyping) this.#timer = setTimeout(() => void this.again(), typingMs);
    else void this.again();
  }

  /** Asks once more for the same, from the first page on. */
  again(): Promise<void> {
    return this.#ask('');
  }

  /** The page after those that are here. */
  more(): Promise<void> {
    return this.#nextToken === '' || this.#asking !== undefined ? Promise.resolve() : this.#ask(this.#nextToken);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#asking?.abort();
    this.#asking = undefined;
  }

  async #ask(token: string): Promise<void> {
    this.stop();
    const own = new AbortController();
    const text = this.#text;
    this.#asking = own;
    this.#change({ isAsking: true });
    try {
      const { modules, nextToken, total } = await this.#calls.search(text, token, own.signal);
      if (own.signal.aborted) return;
      this.#asking = undefined;
      this.#nextToken = nextToken;
      this.#change({
        answered: text,
        // A module that was published meanwhile may have pushed one onto this page too.
        modules: token === '' ? modules : withMore(this.#view.modules, modules),
        total,
        hasMore: nextToken !== '',
        isAsking: false,
        problem: undefined,
      });
    } catch (thrown) {
      if (own.signal.aborted) return;
      this.#asking = undefined;
      const { code, message } = callFailure(thrown);
      this.#change({ isAsking: false, problem: { kind: problemKinds[code] ?? 'failed', message } });
    }
  }

  #change(change: Partial<SearchView>): void {
    this.#view = { ...this.#view, ...change };
    this.#onChange(this.#view);
  }
}

function withMore(before: readonly RegistryModule[], more: readonly RegistryModule[]): readonly RegistryModule[] {
  const known = new Set(before.map(({ moduleId }) => moduleId));
  return [...before, ...more.filter(({ moduleId }) => !known.has(moduleId))];
}
