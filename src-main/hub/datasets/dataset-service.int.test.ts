import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatasetServiceDefinition, DatasetType } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import { DataType } from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import type { RequestOf, ResponseOf } from '../../rpc/service.ts';
import { DataBench, picture } from '../data/testing/data-bench.ts';
import { wholeFilter } from '../data/testing/whole-filter.ts';
import { testStores } from '../storage/testing/test-stores.ts';

const { ALREADY_EXISTS, INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED } = StatusCode;
const START = Date.UTC(2026, 5, 1);

type Methods = (typeof DatasetServiceDefinition)['methods'];

describe.each(testStores)('datasets on $name', (kind) => {
  let clock: ManualClock;
  let bench: DataBench;
  let organizationId = '';

  beforeEach(async () => {
    clock = new ManualClock(START);
    bench = await DataBench.open(kind, clock);
    ({ organizationId } = bench.test.first);
  });

  afterEach(() => bench.test.end());

  const ask = <K extends keyof Methods>(
    method: K,
    request: Partial<RequestOf<Methods[K]>>,
    token = bench.ownerToken,
  ): Promise<ResponseOf<Methods[K]>> => bench.test.call(DatasetServiceDefinition, method, request, { token });
  const make = async (name: string): Promise<string> => {
    clock.advance(1);
    return (await ask('createDataset', { organizationId, name })).id;
  };
  const take = (datasetIds: string[] = []) =>
    bench.upload([picture(clock.now(), Buffer.from('picture'))], { type: DataType.BINARY_SENSOR, datasetIds });
  const membersOf = async (datasetId: string): Promise<string[]> => {
    const filter = wholeFilter({ datasetId });
    const dataRequest = { filter, limit: 0n, last: '', sortOrder: 2 as const };
    const { data } = await bench.data('binaryDataByFilter', { dataRequest });
    return data.map(({ metadata }) => metadata?.binaryDataId ?? '');
  };

  it('are created, renamed, listed and deleted; a name is unique in an organization', async () => {
    const screws = await make(' Screws ');
    const nuts = await make('Nuts');
    await expect(make('Screws')).rejects.toMatchObject({ code: ALREADY_EXISTS });
    await expect(make(' ')).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    await expect(ask('renameDataset', { id: nuts, name: 'Screws' })).rejects.toMatchObject({ code: ALREADY_EXISTS });
    await ask('renameDataset', { id: nuts, name: 'Bolts' });
    const { datasets } = await ask('listDatasetsByOrganizationID', { organizationId });
    expect(datasets).toEqual([
      { id: screws, name: 'Screws', organizationId, timeCreated: new Date(START + 1), type: DatasetType.BINARY_DATA },
      { id: nuts, name: 'Bolts', organizationId, timeCreated: new Date(START + 2), type: DatasetType.BINARY_DATA },
    ]);
    await ask('deleteDataset', { id: screws });
    expect((await ask('listDatasetsByIDs', { ids: [screws, nuts, 'none'] })).datasets.map(({ id }) => id)).toEqual([
      nuts,
    ]);
    await expect(ask('deleteDataset', { id: screws })).rejects.toMatchObject({ code: NOT_FOUND });
    const sequences = ask('createDataset', { organizationId, name: 'S', type: DatasetType.SEQUENCE_DATA });
    await expect(sequences).rejects.toMatchObject({ code: UNIMPLEMENTED });
  });

  it('contain the binary data that is added to them, each piece once, until data or dataset is deleted', async () => {
    const [screws, nuts] = [await make('Screws'), await make('Nuts')];
    const first = await take([screws, screws]);
    clock.advance(1);
    const second = await take();
    for (let time = 0; time < 2; time++) {
      await bench.data('addBinaryDataToDatasetByIDs', { datasetId: screws, binaryDataIds: [first, second] });
    }
    expect(await membersOf(screws)).toEqual([first, second]);
    await bench.data('addBinaryDataToDatasetByIDs', { datasetId: nuts, binaryDataIds: [second] });
    const { data } = await bench.data('binaryDataByIDs', { binaryDataIds: [second] });
    expect([...(data[0]?.metadata?.datasetIds ?? [])].sort()).toEqual([screws, nuts].sort());
    const { datasetId: both } = await ask('mergeDatasets', {
      organizationId,
      name: 'Both',
      datasetIds: [screws, nuts],
    });
    expect(await membersOf(both)).toEqual([first, second]);
    await bench.data('removeBinaryDataFromDatasetByIDs', { datasetId: screws, binaryDataIds: [first] });
    expect(await membersOf(screws)).toEqual([second]);
    await bench.data('deleteBinaryDataByIDs', { binaryDataIds: [second] });
    expect([await membersOf(screws), await membersOf(both)]).toEqual([[], [first]]);
    await ask('deleteDataset', { id: both });
    expect((await bench.data('binaryDataByIDs', { binaryDataIds: [first] })).count).toBe(1n);
  });

  it('are for callers with a role for their organization, and contain only its data', async () => {
    const screws = await make('Screws');
    const id = await take();
    const { organization } = await bench.owner('createOrganization', { name: 'Other' });
    const otherId = organization?.id ?? '';
    const stranger = await bench.tokenFor('organization_owner', otherId);
    const machine = await bench.tokenFor('robot_owner', bench.test.first.machineId);
    for (const token of [stranger, machine]) {
      expect((await ask('listDatasetsByIDs', { ids: [screws] }, token)).datasets).toEqual([]);
      await expect(ask('deleteDataset', { id: screws }, token)).rejects.toMatchObject({ code: NOT_FOUND });
    }
    const denied = ask('createDataset', { organizationId, name: 'Mine' }, machine);
    await expect(denied).rejects.toMatchObject({ code: PERMISSION_DENIED });
    const { id: theirs } = await ask('createDataset', { organizationId: otherId, name: 'Screws' }, stranger);
    const both = ask(
      'mergeDatasets',
      { organizationId: otherId, name: 'Both', datasetIds: [theirs, screws] },
      stranger,
    );
    await expect(both).rejects.toMatchObject({ code: NOT_FOUND });
    const foreign = bench.data('addBinaryDataToDatasetByIDs', { datasetId: theirs, binaryDataIds: [id] });
    await expect(foreign).rejects.toMatchObject({ code: NOT_FOUND });
    const operator = await bench.tokenFor('organization_operator', organizationId);
    await bench.data('addBinaryDataToDatasetByIDs', { datasetId: screws, binaryDataIds: [id] }, operator);
    expect(await membersOf(screws)).toEqual([id]);
  });
});
