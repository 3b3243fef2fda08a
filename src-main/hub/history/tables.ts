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

export type PartVersion = Selectable<PartVersionsTable>;

/** A version without its text. */
export type VersionFacts = Omit<PartVersion, 'text'>;
