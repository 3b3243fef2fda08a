import type { WriteTransaction } from '../storage/tables.ts';
import type { PartVersionWordsTable, VersionFacts } from './tables.ts';

/** What a version is found by. `isGuess`: its summary and subjects are the hub's own. */
export function wordsOf(version: VersionFacts, isGuess: boolean): PartVersionWordsTable {
  const { part_id, number, created_at, subjects, summary, note, tag, author_name } = version;
  return {
    part_id,
    number,
    created_at,
    is_tagged: tag === '' ? 0 : 1,
    is_guess: isGuess ? 1 : 0,
    // As JavaScript makes letters small, so that the same is done with what is looked for.
    subjects: subjects === '' ? '' : `\n${subjects.toLowerCase()}\n`,
    words: [author_name, summary, note, tag, subjects].join('\n').toLowerCase(),
  };
}

/** Makes a version findable by what it is now. */
export async function updateWords(version: VersionFacts, isGuess: boolean, tx: WriteTransaction): Promise<void> {
  const { part_id, number, ...row } = wordsOf(version, isGuess);
  await tx
    .updateTable('part_version_words')
    .set(row)
    .where('part_id', '=', part_id)
    .where('number', '=', number)
    .execute();
}
