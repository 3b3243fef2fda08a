import type { BinaryData, DataServiceDefinition } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Store } from '../../storage/store.ts';
import { deleteBinary } from '../retention/deletion.ts';
import { binaryQuery } from '../query/filter.ts';
import { pageOf, tokenOf } from '../query/pages.ts';
import { requiredScope, scopeOf } from '../query/scope.ts';
import { allowedBinary, idsOf, visibleBinary } from './binary-items.ts';
import { binaryMessages, binaryPage, bytesOf, countBinary, type BinaryRow } from './binary-rows.ts';

/** Binary data in one answer; a message has at most 32 MiB. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;

/** Calls of `core.app.data.v1.DataService` that find, give and delete binary data. */
export function binaryCalls(store: Store, blobs: Blobs): HubHandlers<typeof DataServiceDefinition> {
  const { db } = store;

  /** Adds the bytes. Reads one after the other, so that not more than the answer is in memory. */
  const withBytes = async (messages: readonly BinaryData[], rows: readonly BinaryRow[]): Promise<BinaryData[]> => {
    const whole: BinaryData[] = [];
    for (const [index, row] of rows.entries()) {
      const metadata = messages[index]?.metadata;
      whole.push({ metadata, binary: await bytesOf(row, blobs) });
    }
    return whole;
  };

  return {
    async binaryDataByFilter({ dataRequest, includeBinary, countOnly }, caller, call) {
      const { condition } = await scopeOf(caller, 'data.read', db);
      const query = binaryQuery(dataRequest?.filter, condition);
      if (countOnly) {
        const { count, bytes } = await countBinary(query, db);
        return { data: [], count: BigInt(count), last: '', totalSizeBytes: BigInt(bytes) };
      }
      const page = await binaryPage(query, pageOf(dataRequest), db);
      const rows = includeBinary ? page.slice(0, countFitting(page)) : page;
      const messages = await binaryMessages(rows, call.dialect, db);
      const last = rows.at(-1);
      return {
        data: includeBinary ? await withBytes(messages, rows) : messages,
        count: BigInt(rows.length),
        last: last === undefined ? '' : tokenOf(last),
        totalSizeBytes: BigInt(rows.reduce((sum, { bytes }) => sum + bytes, 0)),
      };
    },

    async binaryDataByIDs({ includeBinary, ...named }, caller, call) {
      const rows = await visibleBinary(idsOf(named), caller, db);
      if (includeBinary && countFitting(rows) < rows.length) {
        const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
        throw new ArmatureError(
          'call.too_large',
          `These have ${bytes} bytes; one answer has at most ${MAX_ANSWER_BYTES}. Ask for fewer at once.`,
        );
      }
      const messages = await binaryMessages(rows, call.dialect, db);
      return { data: includeBinary ? await withBytes(messages, rows) : messages, count: BigInt(rows.length) };
    },

    async deleteBinaryDataByFilter({ filter }, caller, call) {
      const { condition } = await requiredScope(caller, 'data.delete', db);
      return { deletedCount: BigInt(await deleteBinary(store, blobs, binaryQuery(filter, condition), call.signal)) };
    },

    async deleteBinaryDataByIDs(named, caller, call) {
      const rows = await allowedBinary(idsOf(named), 'data.delete', caller, db);
      const numbers = rows.map(({ number }) => number);
      const captureIds = rows.map(({ captureId }) => captureId);
      if (rows.length === 0) return { deletedCount: 0n };
      const query = {
        ...binaryQuery(undefined, (where) => where('captures.id', 'in', captureIds)),
        item: (where) => where('binary_data.number', 'in', numbers),
      } satisfies ReturnType<typeof binaryQuery>;
      return { deletedCount: BigInt(await deleteBinary(store, blobs, query, call.signal)) };
    },
  };
}

/** How many of these rows fit into one answer. @throws {ArmatureError} `call.too_large` if not even the first does */
function countFitting(rows: readonly BinaryRow[]): number {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += row.bytes;
    if (bytes <= MAX_ANSWER_BYTES) continue;
    if (index > 0) return index;
    throw new ArmatureError(
      'call.too_large',
      `The binary data "${row.id}" has ${row.bytes} bytes; one answer has at most ${MAX_ANSWER_BYTES}. Ask without its bytes, and for those with HubDataService/Download.`,
    );
  }
  return rows.length;
}
