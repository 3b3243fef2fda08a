import {
  AuthenticationType,
  type AppServiceDefinition,
  type AuthenticatorInfo,
  type RobotPartHistoryEntry,
} from '../../../proto/gen/core/app/v1/app.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { VersionFacts } from './tables.ts';
import type { PartVersions } from './part-versions.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { factsFor, partFacts, type PartFactsSources } from '../fleet/part-facts.ts';
import type { Store } from '../storage/store.ts';
import type { Queries } from '../storage/tables.ts';
import { partMessage, type PartFacts } from '../fleet/calls/wire-fleet.ts';

/** Also the default: some of the public SDKs read only the first page. */
const MAX_PAGE_VERSIONS = 100;
/** A message may have 32 MiB, and each text is in it twice. */
const MAX_TEXTS_BYTES = 8 * 1024 * 1024;

export interface HistoryCallsOptions extends PartFactsSources {
  readonly store: Store;
  readonly versions: PartVersions;
}

/** Calls of `core.app.v1.AppService` that read the history of a part. */
export function historyCalls(options: HistoryCallsOptions): HubHandlers<typeof AppServiceDefinition> {
  const { store, fleet, versions } = options;

  /** The part as it was before a version. */
  const before = async (facts: PartFacts, { number, created_at }: VersionFacts): Promise<PartFacts> => {
    const previous = number === 1 ? undefined : await versions.get(facts.part.id, number - 1);
    const updated_at = previous?.created_at ?? Math.min(facts.part.created_at, created_at);
    return { ...facts, part: { ...facts.part, updated_at }, text: previous?.text ?? '', secrets: [] };
  };

  return {
    async getRobotPartHistory({ id, pageToken, pageLimit, start, end }, caller) {
      const place = await caller.require('history.read', { type: 'part', id }, store.db);
      const limit = Math.min(Math.max(Number(pageLimit ?? 0n), 0) || MAX_PAGE_VERSIONS, MAX_PAGE_VERSIONS);
      const range = { before: numberOf(pageToken), from: start?.getTime(), until: end?.getTime(), limit: limit + 1 };
      const rows = await versions.list(id, range);
      const [facts] = await partFacts(options, [await fleet.parts.get(id)]);
      const editors = await editorsOf(rows, store.db);
      const history: RobotPartHistoryEntry[] = [];
      let bytes = 0;
      for (const row of rows.slice(0, limit)) {
        if (facts === undefined || bytes > MAX_TEXTS_BYTES) break;
        const old = factsFor(caller, place, await before(facts, row));
        bytes += Buffer.byteLength(old.text);
        history.push({
          part: id,
          robot: facts.machine.id,
          when: new Date(row.created_at),
          old: partMessage(old),
          editedBy: editors.get(row.author) ?? {
            type: AuthenticationType.UNSPECIFIED,
            value: 'local',
            isDeactivated: false,
          },
        });
      }
      const last = rows[history.length - 1];
      return { history, nextPageToken: rows.length > history.length && last !== undefined ? `${last.number}` : '' };
    },
  };
}

function numberOf(pageToken: string | undefined): number | undefined {
  if (pageToken === undefined || pageToken === '') return undefined;
  if (/^[1-9]\d{0,9}$/.test(pageToken)) return Number(pageToken);
  throw new ArmatureError('call.bad_argument', `The page token "${pageToken.slice(0, 40)}" is not from this service.`);
}

/** Authors of versions by id. A key that was deleted is marked as deactivated. */
async function editorsOf(rows: readonly VersionFacts[], db: Queries): Promise<ReadonlyMap<string, AuthenticatorInfo>> {
  const keyIds = [...new Set(rows.filter((row) => row.author_type === 'api-key').map(({ author }) => author))];
  const known =
    keyIds.length === 0 ? [] : await db.selectFrom('api_keys').select('id').where('id', 'in', keyIds).execute();
  const existing = new Set(known.map(({ id }) => id));
  const editors = new Map<string, AuthenticatorInfo>();
  for (const { author, author_type } of rows) {
    if (author_type === 'api-key') {
      editors.set(author, { type: AuthenticationType.API_KEY, value: author, isDeactivated: !existing.has(author) });
    } else if (author_type === 'part-secret') {
      editors.set(author, { type: AuthenticationType.ROBOT_PART_SECRET, value: author, isDeactivated: false });
    }
  }
  return editors;
}
