import type { InjectionKey } from 'vue';

/** A browser whose page opens without the address that the server prints. Times in ms of the machine's clock. */
export interface BrowserView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly usedAt: number;
}

/** Calls about browsers that the server remembers. They reject with an `RpcError`. */
export interface BrowserCalls {
  /** The most recently used first. */
  list(): Promise<readonly BrowserView[]>;
  forget(id: string): Promise<void>;
}

export interface Browsers extends BrowserCalls {
  /** The id of this browser; undefined if it is not remembered. */
  ownId(): string | undefined;
}

/** How a person proves to a page who they are. */
export interface Signing {
  /** The page came from a hub without a machine: everybody signs in with a key. */
  readonly isHub: boolean;
  /** Signs in with an API key, for this tab. Rejects with an `RpcError`. */
  signIn(keyId: string, secret: string): Promise<void>;
  /** Forgets the token and reloads the page. */
  signOut(): void;
  /** Undefined where the server remembers none: in the desktop window, and on a page of a hub. */
  readonly browsers: Browsers | undefined;
  /** Connects anew with the key in a copied text, such as the address that a server printed; false if there is none. */
  giveKey(text: string): boolean;
}

export const signingKey: InjectionKey<Signing> = Symbol('signing');
