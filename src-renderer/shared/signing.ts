import type { InjectionKey } from 'vue';

/** How a person proves to a page who they are. */
export interface Signing {
  /** The page came from a hub without a machine: everybody signs in with a key. */
  readonly isHub: boolean;
  /** Signs in with an API key, for this tab. Rejects with an `RpcError`. */
  signIn(keyId: string, secret: string): Promise<void>;
  /** Forgets the token and reloads the page. */
  signOut(): void;
  /** Connects anew with the key in a copied text, such as the address that a server printed; false if there is none. */
  giveKey(text: string): boolean;
}

export const signingKey: InjectionKey<Signing> = Symbol('signing');
