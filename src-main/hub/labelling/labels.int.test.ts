import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Labelled } from '../../../proto/gen/core/hub/v1/dataset.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { camera, picture } from '../data/testing/data-bench.ts';
import { wholeFilter } from '../data/testing/whole-filter.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { box, DatasetBench } from './testing/dataset-bench.ts';

const { INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED } = StatusCode;

describe.each(testStores)('labels of a dataset on $name', (kind) => {
  let clock: ManualClock;
  let bench: DatasetBench;

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 5, 1));
    bench = await DatasetBench.open(kind, clock);
  });
  afterEach(() => bench.end());

  const first = box(1, 'screw', [0.1, 0.2, 0.3, 0.4]);
  const second = box(2, 'nut', [0, 0, 1, 1]);

  it('are changed together, and the same change again has no further effect', async () => {
    const id = await bench.add('a', { tags: ['old'] });
    const change = { binaryDataId: id, putBoxes: [first, second], addTags: ['good'], removeTags: ['old'] };
    const answer = await bench.ask('changeLabels', change);
    expect(answer.tags).toEqual(['good']);
    expect(answer.annotations?.bboxes).toEqual([first, second]);
    expect(await bench.ask('changeLabels', change)).toEqual(answer);

    const moved = { ...first, label: 'bolt', xMaxNormalized: 0.5 };
    const next = { binaryDataId: id, putBoxes: [moved], removeBoxIds: [second.id], addTags: ['bad'] };
    for (let time = 0; time < 2; time++) {
      const { annotations, tags } = await bench.ask('changeLabels', next);
      expect([annotations?.bboxes, tags]).toEqual([[moved], ['bad', 'good']]);
    }
  });

  it('are not changed at all if one change is wrong', async () => {
    const [id, other] = [await bench.add('a'), await bench.add('b')];
    await bench.box(other, first);
    const wrong = [
      { putBoxes: [{ ...second, id: 'mine' }] },
      { putBoxes: [{ ...second, label: '' }] },
      { putBoxes: [{ ...second, xMaxNormalized: 1.01 }] },
      { putBoxes: [{ ...second, xMinNormalized: 1 }] },
      { putBoxes: [first] },
      { addTags: [''] },
    ];
    for (const each of wrong) {
      const change = { binaryDataId: id, addTags: ['good'], ...each };
      await expect(bench.ask('changeLabels', change)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    }
    const answer = await bench.ask('changeLabels', { binaryDataId: id });
    expect(answer).toEqual({ annotations: { bboxes: [], classifications: [] }, tags: [] });
    await expect(bench.ask('changeLabels', { binaryDataId: 'none' })).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it('that are removed as tags are removed as classes too', async () => {
    const annotations = { bboxes: [], classifications: [{ id: '', label: 'good', confidence: 0.5 }] };
    const taken = picture(clock.now(), Buffer.from('a'));
    const id = await bench.data.upload([{ ...taken, metadata: { ...taken.metadata, mimeType: 0, annotations } }], {
      ...camera,
      tags: ['good', 'left'],
      datasetIds: [bench.datasetId],
    });
    const { counts } = await bench.ask('count', { datasetId: bench.datasetId });
    expect(counts?.tags).toEqual([
      { label: 'good', pictures: 1, boxes: 0 },
      { label: 'left', pictures: 1, boxes: 0 },
    ]);
    const answer = await bench.ask('changeLabels', { binaryDataId: id, removeTags: ['good'] });
    expect(answer).toEqual({ annotations: { bboxes: [], classifications: [] }, tags: ['left'] });
  });

  it('are counted, and pictures are found by them', async () => {
    const [both, boxed, tagged, none] = [
      await bench.add('a', { tags: ['good', 'left'] }),
      await bench.add('b'),
      await bench.add('c', { tags: ['good'] }),
      await bench.add('d'),
    ];
    await bench.add('e', { tags: ['good'], datasetIds: [] });
    await bench.box(both, first);
    await bench.box(boxed, box(3, 'screw', [0, 0, 1, 1]));
    await bench.box(boxed, box(4, 'screw', [0, 0, 0.5, 1]));
    const { datasetId } = bench;
    const whole = {
      ...{ pictures: 4, tagged: 2, severalTags: 1, boxed: 2, unlabelled: 1 },
      tags: [
        { label: 'good', pictures: 2, boxes: 0 },
        { label: 'left', pictures: 1, boxes: 0 },
      ],
      boxes: [{ label: 'screw', pictures: 2, boxes: 3 }],
    };
    expect((await bench.ask('count', { datasetId })).counts).toEqual(whole);
    expect((await bench.ask('count', { datasetId, labels: ['left'] })).counts).toEqual({
      ...{ pictures: 4, tagged: 1, severalTags: 0, boxed: 0, unlabelled: 3, boxes: [] },
      tags: [{ label: 'left', pictures: 1, boxes: 0 }],
    });
    const find = async (what: object): Promise<readonly string[]> => {
      const { binaryDataIds, total } = await bench.ask('pictures', { datasetId, ...what });
      expect(total).toBe(binaryDataIds.length);
      return binaryDataIds;
    };
    expect(await find({})).toEqual([both, boxed, tagged, none]);
    expect(await find({ labelled: Labelled.YES })).toEqual([both, boxed, tagged]);
    expect(await find({ labelled: Labelled.NO })).toEqual([none]);
    expect(await find({ tag: 'good' })).toEqual([both, tagged]);
    expect(await find({ boxLabel: 'screw' })).toEqual([both, boxed]);
    expect(await find({ tag: 'good', boxLabel: 'screw' })).toEqual([both]);
  });

  it('select pictures that are added to the dataset, only those of the organization', async () => {
    const [there, good] = [
      await bench.add('a', { tags: ['good'] }),
      await bench.add('b', { tags: ['good'], datasetIds: [] }),
    ];
    await bench.add('c', { datasetIds: [] });
    const filter = wholeFilter({ tagsFilter: { type: 1, tags: ['good'] } });
    const { datasetId } = bench;
    expect(await bench.ask('addByFilter', { datasetId, filter })).toEqual({ added: 1 });
    expect((await bench.ask('pictures', { datasetId })).binaryDataIds).toEqual([there, good]);
    expect(await bench.ask('addByFilter', { datasetId, filter: wholeFilter({ componentName: 'back' }) })).toEqual({
      added: 0,
    });
  });

  it('are changed by operators of their organization, and not visible to others', async () => {
    const id = await bench.add('a');
    const { datasetId } = bench;
    const { organizationId, machineId } = bench.data.test.first;
    const operator = await bench.data.tokenFor('organization_operator', organizationId);
    await bench.ask('changeLabels', { binaryDataId: id, addTags: ['good'] }, operator);
    const machine = await bench.data.tokenFor('robot_owner', machineId);
    await bench.ask('changeLabels', { binaryDataId: id, addTags: ['left'] }, machine);
    const { organization } = await bench.data.owner('createOrganization', { name: 'Other' });
    const stranger = await bench.data.tokenFor('organization_owner', organization?.id ?? '');
    const change = bench.ask('changeLabels', { binaryDataId: id, addTags: ['bad'] }, stranger);
    await expect(change).rejects.toMatchObject({ code: NOT_FOUND });
    for (const token of [stranger, machine]) {
      await expect(bench.ask('count', { datasetId }, token)).rejects.toMatchObject({ code: NOT_FOUND });
      await expect(bench.ask('pictures', { datasetId }, token)).rejects.toMatchObject({ code: NOT_FOUND });
    }
    const snapshot = await bench.snapshot();
    const refused = bench.ask('deleteSnapshot', { id: snapshot.id }, operator);
    await expect(refused).rejects.toMatchObject({ code: PERMISSION_DENIED });
    const unseen = bench.ask('getSnapshot', { id: snapshot.id }, stranger);
    await expect(unseen).rejects.toMatchObject({ code: NOT_FOUND });
  });
});
