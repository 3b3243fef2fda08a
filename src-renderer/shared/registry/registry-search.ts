import type { RegistryModule } from '../../../proto/gen/core/hub/v1/registry.ts';
import { callFailure } from '../machine/rpc/call-failure.ts';
import type { RegistryCalls } from '../machine/registry-view.ts';

/** Pause before a search, so that not every typed letter asks the hub. */
const typingMs = 200;

/** Why a search failed. `noRegistry`: the server of the page has no registry. */
export type SearchProblemKind = 'noRegistry' | 'denied' | 'away' | 'failed';

export interface SearchView {
  /** The searched text that the modules belong to; undefined before the first answer. */
  readonly answered: string | undefined;
  readonly modules: readonly RegistryModule[];
  /** Number of modules on all pages. */
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
 * A search of the registry during typing: asks after a pause, cancels the previous request, and keeps the previous
 * answer until the next one.
 */
export class RegistrySearch {
  readonly #calls: Pick<RegistryCalls, 'search'>;
  readonly #onChange: (view: SearchView) => void;
  #view = nothing;
  #text = '';
  #nextToken = '';
  #asking: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Sends no request before the first call. */
  constructor(calls: Pick<RegistryCalls, 'search'>, onChange: (view: SearchView) => void) {
    this.#calls = calls;
    this.#onChange = onChange;
  }

  get view(): SearchView {
    return this.#view;
  }

  /** Searches for a text, at once if it is not being typed. Does not repeat the search for the same text. */
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

  /** Repeats the search, from the first page. */
  again(): Promise<void> {
    return this.#ask('');
  }

  /** Loads the next page. */
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
        // A module published meanwhile may have moved a known one onto this page.
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
