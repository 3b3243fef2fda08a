declare module '../storage/tables.ts' {
  interface Tables {
    part_secrets: PartSecretsTable;
    part_module_keys: PartModuleKeysTable;
    api_keys: ApiKeysTable;
    authorizations: AuthorizationsTable;
    token_keys: TokenKeysTable;
  }
}

export interface PartSecretsTable {
  id: string;
  part_id: string;
  /** Hexadecimal. */
  sha256: string;
  created_at: number;
}

export interface PartModuleKeysTable {
  part_id: string;
  /** Chosen by the part; unique among all parts. */
  key_id: string;
  /** Hexadecimal. */
  sha256: string;
  /** Changes with each new key: tokens for an earlier version are not valid. */
  version: string;
  created_at: number;
}

export interface ApiKeysTable {
  id: string;
  /** The organization that owns the key: its owners manage it, and can always delete it. */
  organization_id: string;
  name: string;
  /** Hexadecimal. */
  sha256: string;
  /** 1 for a new key, goes up with each rotation: tokens for an earlier generation are not valid. */
  generation: number;
  created_at: number;
}

export interface AuthorizationsTable {
  id: string;
  key_id: string;
  role: 'owner' | 'operator';
  resource_type: 'organization' | 'location' | 'robot';
  resource_id: string;
  organization_id: string;
  created_at: number;
}

export interface TokenKeysTable {
  kid: string;
  /** Private Ed25519 key as a JWK. */
  private_jwk: string;
  created_at: number;
}
