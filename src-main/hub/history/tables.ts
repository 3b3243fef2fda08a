import type { Selectable } from 'kysely';
import type { Author } from '../access/author.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    part_versions: PartVersionsTable;
    part_version_words: PartVersionWordsTable;
  }
}

export interface PartVersionsTable {
  part_id: string;
  /** From 1, without gaps. */
  number: number;
  revision: string;
  /** The configuration as its author wrote it, byte for byte. */
  text: string;
  author_type: Author['type'];
  author: string;
  created_at: number;
  note: string;
  tag: string;
  summary: string;
  /** '' until the machine has reported a result. */
  result: '' | 'ready' | 'failed' | 'rejected' | 'deferred' | 'rolled-back' | 'replaced';
  result_message: string;
  result_at: number | null;
  /** Number of the version that it was written from; 0 for the first one. */
  base: number;
  /** Number of the version that it restored; 0 if it is no restore. */
  restored_from: number;
  /** Name for display: a key's name, `file`, `machine`, or the name that a local author gave. */
  author_name: string;
  /** Full names of what it changed, one a line. */
  subjects: string;
  /** Full names of the resources that failed, or were not ready when it was rolled back, one a line. */
  result_unready: string;
  /** How long the machine took to apply it, milliseconds. */
  result_took_ms: number | null;
}

/** Text by which a version is searched; one row for each version. */
export interface PartVersionWordsTable {
  part_id: string;
  number: number;
  created_at: number;
  is_tagged: number;
  /** 1 if the hub made summary and subjects from the texts; 0 if the machine reported them. */
  is_guess: number;
  /** Names, summary, note, tag and author in lower case, one a line. */
  words: string;
  /** Full names of what it changed in lower case, each between line breaks. */
  subjects: string;
}

export type PartVersion = Selectable<PartVersionsTable>;

/** A version without its text. */
export type VersionFacts = Omit<PartVersion, 'text'>;
