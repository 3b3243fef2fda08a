import type { InjectionKey } from 'vue';

/** How a person signs in to a hub's page, and out. */
export interface Signing {
  /** The page came from a hub without a machine: everybody signs in with a key. */
  readonly isHub: boolean;
  /** Rejects with an `RpcError`. */
  signIn(keyId: string, secret: string): Promise<void>;
  signOut(): void;
}

export const signingKey: InjectionKey<Signing> = Symbol('signing');
