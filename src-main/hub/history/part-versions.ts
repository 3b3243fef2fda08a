import type { StoredConfig } from '../../../proto/gen/core/hub/v1/part.ts';
import { readJsonText } from '../../../proto/config/text/json-text.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { revisionOf } from '../../base/revision.ts';
import { authorName, type Author } from '../access/author.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Store } from '../storage/store.ts';
import type { PartVersion, VersionFacts } from './tables.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import type { Part, Parts } from '../fleet/parts.ts';
import { textDifference } from './text-difference.ts';
import { wordsOf } from './version-words.ts';

const factColumns = [
  'part_id',
  'number',
  'revision',
  'author_type',
  'author',
  'created_at',
  'note',
  'tag',
  'summary',
  'result',
  'result_message',
  'result_at',
  'base',
  'restored_from',
  'author_name',
  'subjects',
  'result_unready',
  'result_took_ms',
] as const;

/** A text that is to become the newest version. */
export interface NewVersion {
  readonly text: string;
  readonly author: Author;
  readonly note: string;
  /** What changed, in one line. If it is '', the hub makes summary and subjects from the texts. */
  readonly summary: string;
  /** Full names of what it changed; used only with `summary`. */
  readonly subjects?: readonly string[];
  /** Name for display; looked up from `author` if it is not given. */
  readonly authorName?: string;
  /** Number of the version that it restores. */
  readonly restoredFrom?: number;
}

/** Selects the versions to list. */
export interface VersionRange {
  /** Only versions below this number. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** Wall-clock milliseconds; `from` is included, `until` is not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** Larger configurations are refused; those of real machines have some ten kilobytes. */
export const MAX_CONFIG_BYTES = 8 * 1024 * 1024;

/**
 * All configurations that parts have had: numbered from 1 without gaps, never changed, and deleted only with the part.
 */
export class PartVersions {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #parts: Parts;
  readonly #events: EventLog;

  constructor(store: Store, clock: Clock, parts: Parts, events: EventLog) {
    this.#events = events;
    this.#store = store;
    this.#clock = clock;
    this.#parts = parts;
  }

  /**
   * Appends a version and makes it the part's configuration. `part` and `current` were read in the same transaction.
   * @returns the new version with the part afterwards, or both as they are if the text is the same
   * @throws {ArmatureError} `call.too_large`, `config.invalid` for a text that is not one JSON object
   */
  async append(
    part: Part,
    current: PartVersion | undefined,
    version: NewVersion,
    tx: WriteTransaction,
  ): Promise<{ version: PartVersion; part: Part }> {
    requireStorable(version.text);
    if (current?.text === version.text) return { version: current, part };
    const now = this.#clock.now();
    const isGuess = version.summary === '';
    const difference = isGuess ? textDifference(current?.text ?? '', version.text) : undefined;
    const subjects = difference?.changes.map(({ subject }) => subject) ?? version.subjects ?? [];
    const row: PartVersion = {
      part_id: part.id,
      number: part.version + 1,
      revision: revisionOf(version.text),
      text: version.text,
      author_type: version.author.type,
      author: version.author.id,
      created_at: now,
      note: version.note,
      tag: '',
      summary: difference?.summary ?? version.summary,
      result: '',
      result_message: '',
      result_at: null,
      base: part.version,
      restored_from: version.restoredFrom ?? 0,
      author_name: version.authorName ?? (await authorName(version.author, tx)),
      subjects: subjects.join('\n'),
      result_unready: '',
      result_took_ms: null,
    };
    await tx.insertInto('part_versions').values(row).execute();
    await tx.insertInto('part_version_words').values(wordsOf(row, isGuess)).execute();
    const { number, revision } = row;
    const changed = await this.#parts.touch(part.id, now, tx, number);
    await this.#events.append([{ kind: 'config.stored', partId: part.id, payload: { number, revision } }], tx);
    return { version: row, part: changed };
  }

  /** One version; undefined if there is none with that number. */
  get(partId: string, number: number, db: Queries = this.#store.db): Promise<PartVersion | undefined> {
    return db
      .selectFrom('part_versions')
      .selectAll()
      .where('part_id', '=', partId)
      .where('number', '=', number)
      .executeTakeFirst();
  }

  /**
   * The current configuration of a part; undefined before the first one.
   * @throws {ArmatureError} `call.not_found`
   */
  async current(partId: string): Promise<PartVersion | undefined> {
    return this.currentOf(await this.#parts.get(partId));
  }

  /** The configuration that a part had when its row was read; undefined before the first one. */
  async currentOf({ id, version }: Part, db?: Queries): Promise<PartVersion | undefined> {
    return version === 0 ? undefined : this.get(id, version, db);
  }

  /** These versions without their texts, newest first. */
  async facts(partId: string, numbers: readonly number[]): Promise<VersionFacts[]> {
    if (numbers.length === 0) return [];
    return this.#store.db
      .selectFrom('part_versions')
      .select(factColumns)
      .where('part_id', '=', partId)
      .where('number', 'in', numbers)
      .orderBy('number', 'desc')
      .execute();
  }

  /** Texts of the current configurations, by part id; parts without one are left out. */
  async currentTexts(parts: readonly Part[]): Promise<ReadonlyMap<string, string>> {
    if (parts.length === 0) return new Map();
    const rows = await this.#store.db
      .selectFrom('part_versions')
      .innerJoin('parts', (join) =>
        join.onRef('parts.id', '=', 'part_versions.part_id').onRef('parts.version', '=', 'part_versions.number'),
      )
      .select(['part_versions.part_id', 'part_versions.text'])
      .where(
        'part_versions.part_id',
        'in',
        parts.map(({ id }) => id),
      )
      .execute();
    return new Map(rows.map(({ part_id, text }) => [part_id, text]));
  }

  /** Versions without their texts, newest first: a page of large versions costs no more than one of small ones. */
  list(partId: string, { before, limit, from, until }: VersionRange): Promise<VersionFacts[]> {
    let query = this.#store.db.selectFrom('part_versions').select(factColumns).where('part_id', '=', partId);
    if (before !== undefined) query = query.where('number', '<', before);
    if (from !== undefined) query = query.where('created_at', '>=', from);
    if (until !== undefined) query = query.where('created_at', '<', until);
    return query.orderBy('number', 'desc').limit(limit).execute();
  }
}

/** A version as a message for the part. */
export function storedMessage(version: PartVersion): StoredConfig {
  const { number, revision, text, created_at, author_name, author } = version;
  return {
    number: BigInt(number),
    revision,
    text,
    time: new Date(created_at),
    author: author_name === '' ? author : author_name,
  };
}

/** @throws {ArmatureError} `call.too_large` */
export function requireSize(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_CONFIG_BYTES) {
    throw new ArmatureError(
      'call.too_large',
      `This configuration has ${bytes} bytes; at most ${MAX_CONFIG_BYTES} are kept.`,
      { details: { bytes, allowed: MAX_CONFIG_BYTES } },
    );
  }
}

/** @throws {ArmatureError} `call.too_large`, `config.invalid` for a text that is not one JSON object */
function requireStorable(text: string): void {
  requireSize(text);
  const { root, faults, lines } = readJsonText(text);
  const fault = faults.find(({ kind }) => kind === 'syntax' || kind === 'too_deep');
  if (fault !== undefined) {
    const { line, column } = lines.at(fault.offset);
    throw new ArmatureError(
      'config.invalid',
      `The configuration is not JSON: line ${line}, column ${column}: ${fault.message}`,
      {
        details: { line, column },
      },
    );
  }
  if (root?.properties === undefined) {
    throw new ArmatureError('config.invalid', 'The configuration is not a JSON object: it has to begin with "{".');
  }
}
