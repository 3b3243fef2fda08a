import type { WriteTransaction } from '../storage/tables.ts';
import type { PartVersionWordsTable, VersionFacts } from './tables.ts';

/** The search row of a version. @param isGuess whether the hub made its summary and subjects from the texts */
export function wordsOf(version: VersionFacts, isGuess: boolean): PartVersionWordsTable {
  const { part_id, number, created_at, subjects, summary, note, tag, author_name } = version;
  return {
    part_id,
    number,
    created_at,
    is_tagged: tag === '' ? 0 : 1,
    is_guess: isGuess ? 1 : 0,
    // Lower case by JavaScript, because search texts are made lower case the same way.
    subjects: subjects === '' ? '' : `\n${subjects.toLowerCase()}\n`,
    words: [author_name, summary, note, tag, subjects].join('\n').toLowerCase(),
  };
}

/** Updates the search row of a version that has changed. */
export async function updateWords(version: VersionFacts, isGuess: boolean, tx: WriteTransaction): Promise<void> {
  const { part_id, number, ...row } = wordsOf(version, isGuess);
  await tx
    .updateTable('part_version_words')
    .set(row)
    .where('part_id', '=', part_id)
    .where('number', '=', number)
    .execute();
}
