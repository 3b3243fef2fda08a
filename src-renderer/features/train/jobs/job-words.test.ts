import { describe, expect, it } from 'vitest';
import { TrainingStatus } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { createTexts } from '../../../shared/text.ts';
import { job } from './job.fixture.ts';
import { metricWords, newsWords, statusWords } from './job-words.ts';

const t = createTexts();

describe('words for a job', () => {
  it.each([
    [job({ status: TrainingStatus.PENDING }, { queuePosition: 1 }), 'queued, next'],
    [job({ status: TrainingStatus.PENDING }, { queuePosition: 3 }), 'queued, 2 ahead of it'],
    [job({ status: TrainingStatus.PENDING }), 'queued'],
    [job(), 'starting'],
    [job({}, { progress: { epoch: 37, of: 60, loss: 1, metrics: {} } }), 'epoch 37 of 60'],
    [job({ status: TrainingStatus.CANCELING }, { progress: { epoch: 1, of: 2, loss: 1, metrics: {} } }), 'canceling'],
    [job({ status: TrainingStatus.COMPLETED }), 'completed'],
    [job({ status: 99 as TrainingStatus }), 'unknown'],
  ])('describe its status', (one, words) => expect(statusWords(one, t)).toBe(words));

  it('say how long it has been silent', () => {
    expect(newsWords(2_300, t)).toBe('last update 2 s ago');
    expect(newsWords(40_000, t)).toBe('no update for 40 s');
  });

  it('have titles for the usual metrics', () => {
    expect([metricWords('map_50', t), metricWords('dice', t)]).toEqual(['mAP', 'dice']);
  });
});
