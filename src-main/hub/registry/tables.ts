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
  /** Namespace of the organization when the module was created: a module's id does not follow later changes. */
  namespace: string;
  name: string;
  visibility: 'private' | 'public' | 'unlisted';
  description: string;
  url: string;
  entrypoint: string;
  /** '' for none. */
  first_run: string;
  /** JSON: a list of models (`packages/package-check.ts`), set by its owner or its newest package. */
  models: string;
  /** Markdown by its owner; '' for none. */
  documentation: string;
  /** Why it should no longer be used; '' if it is not deprecated. */
  deprecated: string;
  deprecated_at: number | null;
  created_at: number;
  updated_at: number;
  /** Text to search, in lower case: id, description, models. */
  words: string;
  /** APIs of its models, each between line breaks. */
  apis: string;
}

/** A version never changes; it can only be yanked. */
export interface ModuleVersionsTable {
  module_id: string;
  version: string;
  published_at: number;
  /** Display name: the name of a key, or `this computer`. */
  published_by: string;
  /** JSON, of its first package. */
  models: string;
  /** Markdown, of its first package. */
  readme: string;
  entrypoint: string;
  first_run: string;
  /** Why it was taken out of all channels; '' if it is not yanked. */
  yanked: string;
  yanked_at: number | null;
}

/** The package of a version for a platform; its bytes are in a file named by `sha256`. */
export interface ModuleFilesTable {
  module_id: string;
  version: string;
  platform: string;
  /** JSON: a list of strings. */
  tags: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  /** The PackageStatement that was signed, encoded and in base64. */
  statement: string;
  /** Base64. */
  signature: string;
  /** Raw public key that verifies the signature, base64. */
  public_key: string;
  /** Name of the publisher's key; '' if the hub signed. */
  signed_by: string;
  uploaded_at: number;
}

/** Keys that may sign packages of an organization. Never deleted, because packages that they signed stay. */
export interface PublisherKeysTable {
  organization_id: string;
  /** The first 16 characters of the public key's SHA-256, hexadecimal. */
  id: string;
  name: string;
  /** Base64, raw. */
  public_key: string;
  added_at: number;
  revoked_at: number | null;
}

/** An older key endorses a newer one. Keys and signature are base64. */
export interface KeyEndorsementsTable {
  organization_id: string;
  endorsed_key: string;
  by_key: string;
  signature: string;
}

/** A version of a package other than a module. Its bytes are in a file named by `sha256`, beside those of modules. */
export interface PackagesTable {
  organization_id: string;
  /** As configurations write it. */
  type: 'ml_model' | 'archive' | 'ml_training';
  name: string;
  version: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  /** CRC-32C, base64. */
  crc32c: string;
  /** JSON: the first of its files, with names and sizes. */
  files: string;
  /** JSON object from its uploader. */
  metadata: string;
  uploaded_at: number;
  /** Display name: the name of a key, or `this computer`. */
  uploaded_by: string;
}
