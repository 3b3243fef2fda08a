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
  /** The part has made it up; of two parts one can have it. */
  key_id: string;
  /** Hexadecimal. */
  sha256: string;
  /** Another one with each change: tokens of an earlier one are worth nothing. */
  version: string;
  created_at: number;
}

export interface ApiKeysTable {
  id: string;
  /** The organization that owns it: its owners manage it, and may always end it. */
  organization_id: string;
  name: string;
  /** Hexadecimal. */
  sha256: string;
  /** 1 for a new key, one more with each rotation: tokens of an earlier one are worth nothing. */
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
