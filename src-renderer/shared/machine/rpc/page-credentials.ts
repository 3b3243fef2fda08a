import { browserName, idOfBrowserKey, keepBrowserKey, keptBrowserKey } from '../../../link/connect/browser-key.ts';
import { keepToken, takeLaunchToken, type TokenSurroundings } from '../../../link/connect/launch-token.ts';
import type { LinkState } from '../../../link/link.ts';
import type { BrowserCalls, Browsers } from '../../signing.ts';

/** The parts of `window` that are needed. */
export interface CredentialSurroundings extends TokenSurroundings {
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly navigator: { readonly userAgent: string };
}

type Calls = BrowserCalls & { remember(name: string): Promise<string> };

/**
 * How a page proves itself when it connects: by a token that is kept for this tab, or by the key with which its server
 * remembers this browser. A page that has connected with a launch token gets such a key, and uses it from then on.
 */
export class PageCredentials {
  readonly #surroundings: CredentialSurroundings;
  readonly #reconnect: () => void;
  #current: string | undefined;
  /** Settles when the server has remembered this browser, or has not. Never rejects. */
  #remembered: Promise<void> = Promise.resolve();

  /**
   * @param opened the token that the page was opened with
   * @param reconnect opens new connections, because the open ones have used the previous credential
   */
  constructor(surroundings: CredentialSurroundings, opened: string | undefined, reconnect: () => void) {
    this.#surroundings = surroundings;
    this.#reconnect = reconnect;
    this.#current = takeLaunchToken(surroundings) ?? opened ?? this.#key;
  }

  /** For the next connection. */
  get current(): string | undefined {
    return this.#current;
  }

  /** Uses a token in this tab, from now on. */
  take(token: string): void {
    keepToken(token, () => this.#surroundings.sessionStorage);
    this.#use(token);
  }

  /** Uses the token in the page's address, if there is one: pasted into this tab, it does not reload the page. */
  readAddress(): void {
    const token = takeLaunchToken(this.#surroundings);
    if (token !== undefined) this.#use(token);
  }

  /** Signs out of this tab. */
  forgetToken(): void {
    keepToken(undefined, () => this.#surroundings.sessionStorage);
  }

  /**
   * Lets the server remember this browser, and uses the key where a token is refused.
   * @param subscribe calls back with each state of the link to that server
   */
  follow(subscribe: (listener: (state: LinkState) => void) => void, calls: Calls): Browsers {
    subscribe(({ kind }) => {
      const key = this.#key;
      if (this.#current === key) return;
      if (kind === 'open' && this.#current !== undefined) this.#remembered = this.#remember(calls, this.#current);
      // Not at once: others have yet to hear of this state.
      if (kind === 'refused' && key !== undefined) queueMicrotask(() => this.#use(key));
    });
    return {
      // With this browser, if it is being remembered.
      list: () => this.#remembered.then(() => calls.list()),
      forget: (id) => this.#forget(calls, id),
      ownId: () => (this.#key === undefined ? undefined : idOfBrowserKey(this.#key)),
    };
  }

  get #key(): string | undefined {
    return keptBrowserKey(() => this.#surroundings.localStorage);
  }

  #use(credential: string | undefined): void {
    if (credential === this.#current) return;
    this.#current = credential;
    this.#reconnect();
  }

  async #remember(calls: Calls, token: string): Promise<void> {
    try {
      const key =
        (await this.#knownKey(calls)) ?? (await calls.remember(browserName(this.#surroundings.navigator.userAgent)));
      // Without storage, the tab keeps its token. It may have got another one meanwhile.
      if (!keepBrowserKey(key, () => this.#surroundings.localStorage) || this.#current !== token) return;
      this.#current = key;
      this.forgetToken();
    } catch {
      // On another computer, or as another user: each start of the server needs the address that it prints.
    }
  }

  /** The key of this browser, if it is one of this server. */
  async #knownKey(calls: Calls): Promise<string | undefined> {
    const key = this.#key;
    if (key === undefined) return undefined;
    return (await calls.list()).some(({ id }) => id === idOfBrowserKey(key)) ? key : undefined;
  }

  async #forget(calls: Calls, id: string): Promise<void> {
    const key = this.#key;
    await calls.forget(id);
    if (key === undefined || idOfBrowserKey(key) !== id) return;
    keepBrowserKey(undefined, () => this.#surroundings.localStorage);
    this.forgetToken();
    this.#use(undefined);
  }
}
