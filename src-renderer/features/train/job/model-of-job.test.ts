import { describe, expect, it } from 'vitest';
import { Model } from '../../../../proto/gen/core/hub/v1/models.ts';
import { job } from '../jobs/job.fixture.ts';
import { modelOfJob } from './model-of-job.ts';

const files = { framework: 'onnx', modelFile: 'bolts.onnx', labelsFile: 'labels.txt' };
const model = (id: string, ...versions: readonly string[]): Model =>
  Model.fromPartial({ id, name: 'bolts', versions: versions.map((version) => ({ version, ...files })) });
const made = job({ syncedModelId: 'org-1/bolts', modelVersion: '2' });

describe('the model of a job', () => {
  it('is the version that the job made, among others of the same name', () => {
    const found = modelOfJob(made, [model('org-2/bolts', '2'), model('org-1/bolts', '3', '2', '1')]);
    expect(found).toEqual({ id: 'org-1/bolts', name: 'bolts', version: '2', ...files });
  });

  it.each([
    ['the version is deleted', made, [model('org-1/bolts', '3', '1')]],
    ['the model is deleted', made, [model('org-2/bolts', '2')]],
    ['the job made none', job({ modelVersion: '2' }), [model('org-1/bolts', '2')]],
  ])('is undefined if %s', (_why, one, models) => {
    expect(modelOfJob(one, models)).toBeUndefined();
  });
});
