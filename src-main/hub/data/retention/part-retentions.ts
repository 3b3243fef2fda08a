import { captureRetentions } from '../../../../proto/config/capture/retention-policy.ts';
import { readJsonText } from '../../../../proto/config/text/json-text.ts';
import type { Queries } from '../../storage/tables.ts';
import { canonicalJson } from '../captures/method-parameters.ts';

/** Captures of one method of one part, with how long they are kept. */
export interface KeptCaptures {
  /** At least one. */
  readonly captureIds: readonly number[];
  readonly isBinary: boolean;
  /** Absent: as long as the organization says. */
  readonly days: number | undefined;
  /** Bytes of all of them together; absent: any number. */
  readonly mostBytes: number | undefined;
}

/**
 * What the current configurations of parts say of how long their data is kept. A resource that was renamed, or is no longer
 * there, says nothing of what it captured before.
 */
export async function* partRetentions(db: Queries): AsyncGenerator<KeptCaptures> {
  const parts = await db
    .selectFrom('parts')
    .innerJoin('part_versions', (join) =>
      join.onRef('part_versions.part_id', '=', 'parts.id').onRef('part_versions.number', '=', 'parts.version'),
    )
    .select('parts.id')
    .where('part_versions.text', 'like', '%retention_policy%')
    .execute();
  // One text at a time: all of them may be gigabytes.
  for (const { id } of parts) yield* retentionsOfPart(id, db);
}

async function* retentionsOfPart(partId: string, db: Queries): AsyncGenerator<KeptCaptures> {
  const row = await db
    .selectFrom('parts')
    .innerJoin('part_versions', (join) =>
      join.onRef('part_versions.part_id', '=', 'parts.id').onRef('part_versions.number', '=', 'parts.version'),
    )
    .select('part_versions.text')
    .where('parts.id', '=', partId)
    .executeTakeFirst();
  const document = row === undefined ? undefined : readJsonText(row.text).root?.value;
  for (const { api, name, method, parameters, days, readingBytes, binaryBytes } of captureRetentions(
    document ?? null,
  )) {
    const captures = await db
      .selectFrom('captures')
      .select(['id', 'is_binary'])
      .where('part_id', '=', partId)
      .where('component_type', '=', api)
      .where('component_name', '=', name)
      .where('method_name', '=', method)
      .where('parameters', '=', canonicalJson(parameters))
      .execute();
    for (const isBinary of [false, true]) {
      const captureIds = captures.flatMap(({ id, is_binary }) => ((is_binary === 1) === isBinary ? [id] : []));
      const mostBytes = isBinary ? binaryBytes : readingBytes;
      if (captureIds.length > 0) yield { captureIds, isBinary, days, mostBytes };
    }
  }
}
