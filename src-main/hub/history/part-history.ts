import { sql, type RawBuilder } from 'kysely';
import { fullName, parseFullName } from '../../../proto/config/names.ts';
import type { Duration } from '../../../proto/gen/google/protobuf/duration.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import {
  Result_Outcome,
  type HistoryRequest,
  type Result,
  type Version,
} from '../../../proto/gen/core/config/v1/config.ts';
import { notFound } from '../places/fleet-errors.ts';
import { escapeLike, escaped } from '../storage/like.ts';
import type { Store } from '../storage/store.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import type { PartVersions } from './part-versions.ts';
import type { PartVersion, PartVersionsTable, VersionFacts } from './tables.ts';
import { updateWords } from './version-words.ts';

/** A page of the history, and how many versions match in all. */
export interface HistoryPage {
  readonly versions: readonly VersionFacts[];
  /** Number that the next page begins below; undefined on the last page. */
  readonly next: number | undefined;
  readonly total: number;
}

const DEFAULT_PAGE_VERSIONS = 50;
const MAX_PAGE_VERSIONS = 500;
const MAX_TEXT_CHARS = 200;
const MAX_TAG_CHARS = 100;
const MAX_NOTE_CHARS = 10_000;

const outcomeOf: Readonly<Record<PartVersionsTable['result'], Result['outcome']>> = {
  '': Result_Outcome.UNSPECIFIED,
  ready: Result_Outcome.APPLIED,
  failed: Result_Outcome.APPLIED_WITH_FAILURES,
  rejected: Result_Outcome.REJECTED,
  deferred: Result_Outcome.DEFERRED,
  'rolled-back': Result_Outcome.RETURNED,
  replaced: Result_Outcome.REPLACED,
};

const resultOf = new Map<number, PartVersionsTable['result']>(
  Object.entries(outcomeOf).map(([result, outcome]) => [outcome, result as PartVersionsTable['result']]),
);

/** Lists and searches the versions of a part, and stores tags, notes and results for them. */
export class PartHistory {
  readonly #store: Store;
  readonly #versions: PartVersions;
  readonly #clock: Clock;

  constructor(store: Store, versions: PartVersions, clock: Clock) {
    this.#store = store;
    this.#versions = versions;
    this.#clock = clock;
  }

  /**
   * The newest versions that match. A page continues below the last number of the page before, so versions that are
   * stored in between do not appear in later pages.
   * @throws {ArmatureError} `call.bad_argument`
   */
  async list(partId: string, request: HistoryRequest): Promise<HistoryPage> {
    const { limit, pageToken, start, end, tagged } = request;
    const resource = request.resource.trim();
    const count = Math.min(limit === 0 ? DEFAULT_PAGE_VERSIONS : limit, MAX_PAGE_VERSIONS);
    const before = numberIn(pageToken);
    const text = request.text.trim().replace(/\s+/g, ' ').toLowerCase();
    const longest = Math.max(text.length, resource.length);
    if (longest > MAX_TEXT_CHARS) {
      throw new ArmatureError(
        'call.bad_argument',
        `The text looked for has ${longest} characters; at most ${MAX_TEXT_CHARS} are allowed.`,
      );
    }
    let matching = this.#store.db.selectFrom('part_version_words').where('part_id', '=', partId);
    if (start !== undefined) matching = matching.where('created_at', '>=', start.getTime());
    if (end !== undefined) matching = matching.where('created_at', '<', end.getTime());
    if (tagged) matching = matching.where('is_tagged', '=', 1);
    if (resource !== '') matching = matching.where(hasSubject(resource));
    if (text !== '') matching = matching.where(sql<boolean>`words LIKE ${escapeLike(text)} ESCAPE '!'`);
    let page = matching
      .select('number')
      .orderBy('number', 'desc')
      .limit(count + 1);
    if (before !== undefined) page = page.where('number', '<', before);
    const [numbers, { total }] = await Promise.all([
      page.execute(),
      matching.select((select) => select.fn.countAll<number | string>().as('total')).executeTakeFirstOrThrow(),
    ]);
    const shown = numbers.slice(0, count).map(({ number }) => number);
    const next = numbers.length > count ? shown.at(-1) : undefined;
    return { versions: await this.#versions.facts(partId, shown), next, total: Number(total) };
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(partId: string, number: number, db: Queries = this.#store.db): Promise<PartVersion> {
    const version = await this.#versions.get(partId, number, db);
    if (version === undefined) throw notFound('version', String(number));
    return version;
  }

  /**
   * Sets the tag and the note of a version; what is undefined stays unchanged.
   * @throws {ArmatureError} `call.not_found`, `call.bad_argument`
   */
  async annotate(partId: string, number: number, words: { tag?: string; note?: string }): Promise<VersionFacts> {
    const { tag, note } = words;
    if ((tag ?? '').length > MAX_TAG_CHARS || (note ?? '').length > MAX_NOTE_CHARS) {
      const limits = `A tag has at most ${MAX_TAG_CHARS} characters, a note at most ${MAX_NOTE_CHARS}.`;
      throw new ArmatureError('call.bad_argument', `${limits} Shorten it.`);
    }
    return this.#store.transaction(async (tx) => {
      const version = await this.get(partId, number, tx);
      const changed = { ...version, tag: (tag ?? version.tag).trim(), note: note ?? version.note };
      await this.#set(version, { tag: changed.tag, note: changed.note }, tx);
      await updateWords(changed, await this.#isGuess(version, tx), tx);
      return changed;
    });
  }

  /**
   * Stores the result of the newest version with the result's revision. A summary and subjects from the part replace
   * those that the hub made from the texts.
   * @returns whether something was stored
   */
  async noteResult(partId: string, result: Result, summary: string, subjects: readonly string[]): Promise<boolean> {
    const kind = resultOf.get(result.outcome);
    // While the machine is still applying it, there is no result to store.
    if (kind === undefined || kind === '') return false;
    return this.#store.transaction(async (tx) => {
      const version = await tx
        .selectFrom('part_versions')
        .selectAll()
        .where('part_id', '=', partId)
        .where('revision', '=', result.revision)
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (version === undefined) return false;
      const noted = {
        result: kind,
        result_message: result.message,
        result_at: result.time?.getTime() ?? this.#clock.now(),
        result_unready: result.unready.join('\n'),
        result_took_ms: result.took === undefined ? null : msOf(result.took),
      };
      const isBetter = summary !== '' && (await this.#isGuess(version, tx));
      const found = isBetter ? { summary, subjects: subjects.join('\n') } : {};
      await this.#set(version, { ...noted, ...found }, tx);
      if (isBetter) await updateWords({ ...version, ...noted, ...found }, false, tx);
      return true;
    });
  }

  async #isGuess({ part_id, number }: VersionFacts, tx: WriteTransaction): Promise<boolean> {
    const row = await tx
      .selectFrom('part_version_words')
      .select('is_guess')
      .where('part_id', '=', part_id)
      .where('number', '=', number)
      .executeTakeFirst();
    return row?.is_guess === 1;
  }

  async #set(
    { part_id, number }: VersionFacts,
    values: Partial<PartVersionsTable>,
    tx: WriteTransaction,
  ): Promise<void> {
    const row = tx.updateTable('part_versions').set(values).where('part_id', '=', part_id).where('number', '=', number);
    await row.execute();
  }
}

/** A version as a message. */
export function versionMessage(version: VersionFacts): Version {
  const { number, revision, created_at, author_name, summary, note, tag, base, restored_from } = version;
  return {
    number: BigInt(number),
    revision,
    time: new Date(created_at),
    author: author_name === '' ? version.author : author_name,
    summary,
    note,
    tag,
    base: BigInt(base),
    restoredFrom: BigInt(restored_from),
    result: resultMessage(version),
    subjects: linesOf(version.subjects),
  };
}

/** The result of a version; undefined before the machine has reported one. */
export function resultMessage(version: VersionFacts): Result | undefined {
  const { result, revision, result_message, result_at, result_unready, result_took_ms } = version;
  if (result === '') return undefined;
  return {
    outcome: outcomeOf[result],
    revision,
    message: result_message,
    time: result_at === null ? undefined : new Date(result_at),
    returnedText: '',
    unready: linesOf(result_unready),
    deferred: undefined,
    took: result_took_ms === null ? undefined : durationOf(result_took_ms),
  };
}

/** Condition: the version changed this resource, given by its full name or by what follows the slash; ignores case. */
function hasSubject(resource: string): RawBuilder<boolean> {
  const { api = '', name = '' } = parseFullName(resource) ?? {};
  const line = (name === '' ? resource : fullName(api, name)).toLowerCase();
  const [whole, ending] = [`%\n${escaped(line)}\n%`, `%/${escaped(line)}\n%`];
  return sql<boolean>`(subjects LIKE ${whole} ESCAPE '!' OR subjects LIKE ${ending} ESCAPE '!')`;
}

function msOf({ seconds, nanos }: Duration): number {
  return Math.round(Number(seconds) * 1_000 + nanos / 1e6);
}

function durationOf(ms: number): Duration {
  return { seconds: BigInt(Math.trunc(ms / 1_000)), nanos: (ms % 1_000) * 1e6 };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function numberIn(pageToken: string): number | undefined {
  if (pageToken === '') return undefined;
  if (/^[1-9]\d{0,9}$/.test(pageToken)) return Number(pageToken);
  throw new ArmatureError('call.bad_argument', `The page token "${pageToken.slice(0, 40)}" is not from this service.`);
}
