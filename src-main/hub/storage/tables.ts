import type { Kysely, Transaction } from 'kysely';

/**
 * Every table, with its columns as they are stored. Times are milliseconds
 * since 1970, facts are 0 or 1, documents are JSON text: what SQLite and
 * PostgreSQL both have.
 */
export interface Tables {
  settings: SettingsTable;
  organizations: OrganizationsTable;
  locations: LocationsTable;
  machines: MachinesTable;
  parts: PartsTable;
  part_secrets: PartSecretsTable;
  part_module_keys: PartModuleKeysTable;
  api_keys: ApiKeysTable;
  authorizations: AuthorizationsTable;
  token_keys: TokenKeysTable;
  part_versions: PartVersionsTable;
  part_version_words: PartVersionWordsTable;
  part_presence: PartPresenceTable;
  part_logs: PartLogsTable;
  part_log_entries: PartLogEntriesTable;
  modules: ModulesTable;
  module_versions: ModuleVersionsTable;
  module_files: ModuleFilesTable;
  publisher_keys: PublisherKeysTable;
  key_endorsements: KeyEndorsementsTable;
}

export type Database = Kysely<Tables>;
export type WriteTransaction = Transaction<Tables>;
/** What a query runs on: the store as it was last committed, or a transaction under way. */
export type Queries = Database | WriteTransaction;

/** Single values of this hub; the names are in `settings.ts`. */
export interface SettingsTable {
  name: string;
  value: string;
}

export interface OrganizationsTable {
  id: string;
  name: string;
  /** '' is stored as null: many have none, but nobody two. */
  public_namespace: string | null;
  region: string;
  cid: string | null;
  metadata: string;
  created_at: number;
  /** The organization to whose quota it counts; null where no key made it. */
  made_by: string | null;
}

export interface LocationsTable {
  id: string;
  organization_id: string;
  parent_id: string | null;
  name: string;
  region: string;
  metadata: string;
  created_at: number;
}

export interface MachinesTable {
  id: string;
  location_id: string;
  name: string;
  /** The name as a label of DNS: what the machine's address has in it, so unique in its location. */
  dns_label: string;
  metadata: string;
  created_at: number;
}

export interface PartsTable {
  id: string;
  machine_id: string;
  name: string;
  dns_label: string;
  is_main: number;
  metadata: string;
  created_at: number;
  /** Grows with every change, also where the clock was set back: what editors compare. */
  updated_at: number;
  /** Number of the configuration that is meant to run; 0 before the first. */
  version: number;
  /** When its machine last called; null before the first time. */
  last_access_at: number | null;
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

export interface PartVersionsTable {
  part_id: string;
  /** From 1, without gaps. */
  number: number;
  revision: string;
  /** The configuration as its author wrote it, byte for byte. */
  text: string;
  author_type: 'api-key' | 'part-secret' | 'module-key' | 'local';
  author: string;
  created_at: number;
  note: string;
  tag: string;
  summary: string;
  /** '' until the machine has said. */
  result: '' | 'ready' | 'failed' | 'rejected' | 'deferred' | 'rolled-back' | 'replaced';
  result_message: string;
  result_at: number | null;
  /** The version that it was written from; 0 for the first. */
  base: number;
  /** The version whose text it brought back; 0 where it is no restore. */
  restored_from: number;
  /** For people: a key's name, `file`, `machine`, or what somebody at that computer called themselves. */
  author_name: string;
  /** Full names of what it changed, one a line. */
  subjects: string;
  /** Full names of what failed, or was not ready when it was left, one a line. */
  result_unready: string;
  /** How long the machine took with it, milliseconds. */
  result_took_ms: number | null;
}

/** What a version is found by; a row for each version. */
export interface PartVersionWordsTable {
  part_id: string;
  number: number;
  created_at: number;
  is_tagged: number;
  /** 1 where summary and subjects are the hub's own, from the texts alone. */
  is_guess: number;
  /** Names, summary, note, tag and author in small letters, one a line. */
  words: string;
  /** Full names of what it changed in small letters, each between line ends. */
  subjects: string;
}

export interface PartPresenceTable {
  part_id: string;
  /** 1 until it was declared to be away. */
  is_online: number;
  /** Begin of the present time online, else of the latest. */
  online_since: number | null;
  last_seen_at: number;
  /** 1 where a file of the part owns its configuration. */
  owns_config: number;
  version: string;
  platform: string;
  host: string;
  /** When its program was started. */
  started_at: number | null;
  /** The last StatusReport, base64; '' for none. */
  status: string;
  status_at: number | null;
  /** A time in which nobody could see it, because its hub was away with it; null where there was none. */
  gap_began_at: number | null;
  gap_ended_at: number | null;
}

/** A log of a part; a part that lost its own begins another. */
export interface PartLogsTable {
  part_id: string;
  /** As the part names it. */
  log_id: string;
  /** From 0, in the order in which they were begun. */
  log_number: number;
  /** Highest number of it that is stored for good. */
  stored_seq: number;
}

export interface PartLogEntriesTable {
  part_id: string;
  /** Number in its log, and above it that of the log: rises with each entry. */
  position: number;
  /** By the clock of the part. */
  time: number;
  /** When the hub received it, in the time of `logs/log-time.ts`. */
  received_at: number;
  /** 1 debug, 2 info, 3 warning, 4 error, as core.log.v1 has them. */
  level: number;
  logger: string;
  message: string;
  /** JSON. */
  fields: string;
  resource: string;
  caller: string;
  repeat_count: number;
  first_time: number | null;
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
  /** JSON: a list of models (`registry/module-model.ts`) as its owner or its newest package says. */
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
