declare module '../storage/tables.ts' {
  interface Tables {
    modules: ModulesTable;
    module_versions: ModuleVersionsTable;
    module_files: ModuleFilesTable;
    publisher_keys: PublisherKeysTable;
    key_endorsements: KeyEndorsementsTable;
    packages: PackagesTable;
  }
}

export interface ModulesTable {
  id: string;
  organization_id: string;
  /** As the organization was called when the module was made: the id of a module never changes by itself. */
  namespace: string;
  name: string;
  visibility: 'private' | 'public' | 'unlisted';
  description: string;
  url: string;
  entrypoint: string;
  /** '' for none. */
  first_run: string;
  /** JSON: a list of models (`proto/config/module-meta.ts`) as its owner or its newest package says. */
  models: string;
  /** Markdown, where its owner gave one. */
  documentation: string;
  /** Why it should not be used any more; '' where it may. */
  deprecated: string;
  deprecated_at: number | null;
  created_at: number;
  updated_at: number;
  /** What it is found by, in small letters: id, description, models. */
  words: string;
  /** APIs of its models, each between line ends. */
  apis: string;
}

/** A version never changes; it can only be yanked. */
export interface ModuleVersionsTable {
  module_id: string;
  version: string;
  published_at: number;
  /** For people: a key's name, `this computer`. */
  published_by: string;
  /** JSON, of its first package. */
  models: string;
  /** Markdown, of its first package. */
  readme: string;
  entrypoint: string;
  first_run: string;
  /** Why it is in no channel any more; '' where it is. */
  yanked: string;
  yanked_at: number | null;
}

/** The package of a version for a platform; its bytes are in a file named by `sha256`. */
export interface ModuleFilesTable {
  module_id: string;
  version: string;
  platform: string;
  /** JSON: a list of texts. */
  tags: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  /** Encoded PackageStatement, base64: what was signed. */
  statement: string;
  /** Base64. */
  signature: string;
  /** Base64, raw: what verifies it. */
  public_key: string;
  /** Name of the publisher's key; '' where the hub signed. */
  signed_by: string;
  uploaded_at: number;
}

/** Who may sign packages of an organization. Never deleted: what they signed stays. */
export interface PublisherKeysTable {
  organization_id: string;
  /** Of the public key's SHA-256, hexadecimal, the first 16 characters. */
  id: string;
  name: string;
  /** Base64, raw. */
  public_key: string;
  added_at: number;
  revoked_at: number | null;
}

/** An older key says that a newer one may sign; keys and signature base64. */
export interface KeyEndorsementsTable {
  organization_id: string;
  endorsed_key: string;
  by_key: string;
  signature: string;
}

/** A version of a package that is no module; its bytes are in a file named by `sha256`, beside those of modules. */
export interface PackagesTable {
  organization_id: string;
  /** As configurations spell it. */
  type: 'ml_model' | 'archive' | 'ml_training';
  name: string;
  version: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  /** CRC-32C, base64. */
  crc32c: string;
  /** JSON: the first of its files, each with its size. */
  files: string;
  /** JSON object: what its uploader said of it. */
  metadata: string;
  uploaded_at: number;
  /** For people: a key's name, `this computer`. */
  uploaded_by: string;
}
