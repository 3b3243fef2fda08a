import { openStore } from '../../src-main/hub/storage/open-store.ts';
import { revisionOf } from '../../src-main/base/revision.ts';
import { silentLogger } from '../../src-main/base/logger.ts';

const minuteMs = 60_000;
/** Rows of one statement: SQLite limits the number of values. */
const rowsAtOnce = 400;

/** Text of a version that {@link storeVersions} makes: three motors, one of which changes with each version. */
export function versionText(number: number): string {
  const components = ['left', 'right', 'lift'].map((name, index) => ({
    name,
    api: 'core:component:motor',
    model: 'fake',
    // Every third version changes it.
    attributes: { max_rpm: 100 + Math.max(0, number - ((number + 3 - index) % 3)) },
  }));
  return JSON.stringify({ components }, null, 2);
}

/** Stores many versions for a hub that is not running. Every 100th has a tag. */
export async function storeVersions(data: string, partId: string, count: number): Promise<void> {
  const store = await openStore(data, silentLogger);
  const first = Date.now() - count * minuteMs;
  const names = ['left', 'right', 'lift'];
  const versions = Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const subject = `core:component:motor/${names[number % 3]}`;
    const summary = `${names[number % 3]}: max_rpm ${number + 97} to ${number + 100}`;
    const tag = number % 100 === 0 ? `release ${number / 100}` : '';
    return { number, subject, summary, tag, text: versionText(number), at: first + index * minuteMs };
  });
  for (let from = 0; from < count; from += rowsAtOnce) {
    const some = versions.slice(from, from + rowsAtOnce);
    await store.transaction(async (tx) => {
      await tx
        .insertInto('part_versions')
        .values(
          some.map(({ number, subject, summary, tag, text, at }) => ({
            part_id: partId,
            number,
            revision: revisionOf(text),
            text,
            author_type: 'local' as const,
            author: '',
            created_at: at,
            note: '',
            tag,
            summary,
            result: 'ready' as const,
            result_message: summary,
            result_at: at + 400,
            base: number - 1,
            restored_from: 0,
            author_name: 'Ada',
            subjects: subject,
            result_unready: '',
            result_took_ms: 400,
          })),
        )
        .execute();
      await tx
        .insertInto('part_version_words')
        .values(
          some.map(({ number, subject, summary, tag, at }) => ({
            part_id: partId,
            number,
            created_at: at,
            is_tagged: tag === '' ? 0 : 1,
            is_guess: 0,
            words: ['ada', summary, '', tag, subject].join('\n'),
            subjects: `\n${subject}\n`,
          })),
        )
        .execute();
    });
  }
  await store.transaction(async (tx) => {
    await tx.updateTable('parts').set({ version: count }).where('id', '=', partId).execute();
  });
  await store.close();
}
