import {
  DatasetType,
  type Dataset as DatasetMessage,
  type DatasetServiceDefinition,
} from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import type { Action } from '../../../proto/config/permissions.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { notFound } from '../places/fleet-errors.ts';
import { organizationPlace, type Target } from '../places/place.ts';
import type { Store } from '../storage/store.ts';
import type { Dataset, Datasets } from './datasets.ts';

const MAX_IDS = 1_000;

/**
 * Finds a dataset for an action. It belongs to its organization: a role for one location or machine does not include
 * it.
 * @throws {ArmatureError} `call.not_found` also for one that the caller may not see, `access.denied`
 */
export async function requireDataset(action: Action, id: string, caller: Caller, datasets: Datasets): Promise<Dataset> {
  const dataset = await datasets.get(id);
  const place = organizationPlace(dataset.organization_id);
  if (!caller.may('data.read', place)) throw notFound('dataset', id);
  if (!caller.may(action, place)) throw caller.denied(action, { type: 'organization', id: dataset.organization_id });
  return dataset;
}

/** `core.app.dataset.v1.DatasetService`, without the calls for sequences. */
export function datasetService(store: Store, datasets: Datasets): HubHandlers<typeof DatasetServiceDefinition> {
  const organization = (id: string): Target => ({ type: 'organization', id });

  return {
    async createDataset({ name, organizationId, type = DatasetType.BINARY_DATA }, caller) {
      await caller.require('data.label', organization(organizationId), store.db);
      requireBinary(type);
      return { id: await datasets.create(organizationId, name, type) };
    },

    async deleteDataset({ id }, caller) {
      await requireDataset('data.label', id, caller, datasets);
      await datasets.delete(id);
      return {};
    },

    async renameDataset({ id, name }, caller) {
      await requireDataset('data.label', id, caller, datasets);
      await datasets.rename(id, name);
      return {};
    },

    async listDatasetsByOrganizationID({ organizationId, type }, caller) {
      await caller.require('data.read', organization(organizationId), store.db);
      const rows = await datasets.list(organizationId);
      return { datasets: rows.filter((row) => type === undefined || row.type === type).map(messageOf) };
    },

    async listDatasetsByIDs({ ids }, caller) {
      const rows = await datasets.byIds(requireMaxIds(ids));
      return { datasets: rows.filter((row) => isVisible(row, caller)).map(messageOf) };
    },

    async mergeDatasets({ datasetIds, name, organizationId }, caller) {
      await caller.require('data.label', organization(organizationId), store.db);
      const rows = await datasets.byIds(requireMaxIds(datasetIds));
      for (const id of datasetIds) {
        const row = rows.find((known) => known.id === id);
        if (row?.organization_id !== organizationId) throw notFound('dataset', id);
      }
      if (rows.length === 0) {
        throw new ArmatureError('call.bad_argument', 'No datasets are named: say in "dataset_ids" which to merge.');
      }
      const merged = await datasets.merge(organizationId, name, DatasetType.BINARY_DATA, datasetIds);
      return { datasetId: merged };
    },
  };
}

function isVisible(row: Dataset, caller: Caller): boolean {
  return caller.may('data.read', organizationPlace(row.organization_id));
}

function requireBinary(type: number): void {
  if (type === DatasetType.BINARY_DATA) return;
  throw new ArmatureError('call.unimplemented', 'Datasets of sequences are not supported here: leave out the type.');
}

function requireMaxIds(ids: readonly string[]): readonly string[] {
  if (ids.length <= MAX_IDS) return ids;
  throw new ArmatureError('call.too_large', `${ids.length} datasets are named; at most ${MAX_IDS} are taken at once.`);
}

function messageOf({ id, name, organization_id, type, created_at }: Dataset): DatasetMessage {
  return {
    id,
    name,
    organizationId: organization_id,
    timeCreated: new Date(created_at),
    type: type as DatasetMessage['type'],
  };
}
