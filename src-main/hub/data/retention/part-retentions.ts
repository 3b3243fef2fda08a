import { captureRetentions } from '../../../../proto/config/capture/retention-policy.ts';
import { readJsonText } from '../../../../proto/config/text/json-text.ts';
import type { Queries } from '../../storage/tables.ts';
import { canonicalJson } from '../captures/method-parameters.ts';

/** Captures of one method of one part, and how long they are kept. */
export interface KeptCaptures {
  /** At least one. */
  readonly captureIds: readonly number[];
  readonly isBinary: boolean;
  /** Undefined: the part has no limit, only its organization. */
  readonly days: number | undefined;
  /** Limit for all of them together; undefined: no limit. */
  readonly maxBytes: number | undefined;
}

/**
 * Retention of data from the current configurations of parts. For data of a resource that was since renamed or removed,
 * there is none.
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
  // One text at a time: all texts together may be gigabytes.
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
      const maxBytes = isBinary ? binaryBytes : readingBytes;
      if (captureIds.length > 0) yield { captureIds, isBinary, days, maxBytes };
    }
  }
}
