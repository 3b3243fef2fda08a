import { tripletIn, type Dialect } from '../../../base/dialect.ts';
import type { CaptureMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { chunksOf } from '../../storage/chunks.ts';
import type { Queries } from '../../storage/tables.ts';
import type { CaptureRow } from './captures.ts';
import { parametersMessage } from './method-parameters.ts';

/** Captures by their ids. */
export async function capturesById(ids: Iterable<number>, db: Queries): Promise<ReadonlyMap<number, CaptureRow>> {
  const found = new Map<number, CaptureRow>();
  for (const some of chunksOf([...new Set(ids)])) {
    const rows = await db.selectFrom('captures').selectAll().where('id', 'in', some).execute();
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

/** A capture as a message. @param tags the tags of a piece of binary data, which has its own */
export function captureMessage(
  row: CaptureRow,
  dialect: Dialect,
  tags: readonly string[] = JSON.parse(row.tags) as string[],
): CaptureMetadata {
  return {
    organizationId: row.organization_id,
    locationId: row.location_id,
    robotName: row.machine_name,
    robotId: row.machine_id,
    partName: row.part_name,
    partId: row.part_id,
    componentType: tripletIn(row.component_type, dialect),
    componentName: row.component_name,
    methodName: row.method_name,
    methodParameters: parametersMessage(row.parameters),
    tags: [...tags],
    mimeType: row.mime_type,
  };
}
