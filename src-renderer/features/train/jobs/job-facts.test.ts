import { formatDuration } from '../../../shared/timing/duration.ts';
import { describe, expect, it } from 'vitest';
import { ModelType, TrainingStatus } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import {
  elapsedMs,
  isFinished,
  jobsWith,
  jobTitle,
  mainMetric,
  modelTypeOf,
  progressShare,
  silenceMs,
  statusName,
  statusTone,
  taskOf,
} from './job-facts.ts';
import { job } from './job.fixture.ts';

const start = Date.UTC(2026, 10, 21, 10);

describe('the facts of a job', () => {
  it.each([
    [TrainingStatus.PENDING, 'pending', 'off', false],
    [TrainingStatus.RUNNING, 'running', 'info', false],
    [TrainingStatus.CANCELING, 'canceling', 'warn', false],
    [TrainingStatus.COMPLETED, 'completed', 'ok', true],
    [TrainingStatus.FAILED, 'failed', 'bad', true],
    [TrainingStatus.CANCELED, 'canceled', 'off', true],
    [99 as TrainingStatus, 'unknown', 'off', false],
  ] as const)('name the status %s as %s', (status, name, tone, isOver) => {
    const one = job({ status });
    expect([statusName(one), statusTone(one), isFinished(one)]).toEqual([name, tone, isOver]);
  });

  it('include title, duration and progress', () => {
    expect(jobTitle(job())).toBe('bolts 2');
    expect(elapsedMs(job(), start + 61_000)).toBe(61_000);
    expect(elapsedMs(job({ trainingEnded: new Date(start + 5_000) }), start + 61_000)).toBe(5_000);
    expect(elapsedMs(job({ trainingStarted: undefined }), start)).toBeUndefined();
    expect(progressShare(job())).toBeUndefined();
    expect(progressShare(job({}, { progress: { epoch: 15, of: 60, loss: 1, metrics: {} } }))).toBe(0.25);
  });

  it('include a silence only while reports are expected', () => {
    const lastNews = new Date(start);
    expect(silenceMs(job({}, { lastNews }), start + 40_000)).toBe(40_000);
    expect(silenceMs(job({ status: TrainingStatus.CANCELING }, { lastNews }), start + 5)).toBe(5);
    expect(silenceMs(job({ status: TrainingStatus.COMPLETED }, { lastNews }), start + 40_000)).toBeUndefined();
    expect(silenceMs(job(), start)).toBeUndefined();
  });

  it.each([
    [0, '0:00'],
    [221_999, '3:41'],
    [3_725_000, '1:02:05'],
  ])('show %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('include the task of a model and its main metric', () => {
    expect(taskOf(job())).toBe('detection');
    expect(taskOf(job({ modelType: ModelType.UNSPECIFIED }))).toBeUndefined();
    expect(modelTypeOf('multiLabel')).toBe(ModelType.MULTI_LABEL_CLASSIFICATION);
    expect(mainMetric('detection', ['f1', 'map_50'])).toBe('map_50');
    expect(mainMetric('detection', ['f1'])).toBe('f1');
    expect(mainMetric(undefined, ['dice'])).toBe('dice');
    expect(mainMetric(undefined, [])).toBeUndefined();
  });
});

describe('the list of jobs', () => {
  const jobs = [
    job({ id: 'a' }),
    job({
      id: 'b',
      status: TrainingStatus.FAILED,
      modelName: 'caps',
      errorStatus: { code: 9, message: 'cut off', details: [] },
    }),
    job({ id: 'c', status: TrainingStatus.COMPLETED, datasetId: 'd2' }),
  ];
  const names = (id: string): string => (id === 'd1' ? 'Screws' : 'Belt of July');
  const found = (filter: Parameters<typeof jobsWith>[1]): readonly (string | undefined)[] =>
    jobsWith(jobs, filter, names).map(({ metadata }) => metadata?.id);

  it('is filtered by status and by words', () => {
    expect(found({ group: 'all', text: ' ' })).toEqual(['a', 'b', 'c']);
    expect(found({ group: 'unfinished', text: '' })).toEqual(['a']);
    expect(found({ group: 'all', text: 'JULY bolts' })).toEqual(['c']);
    expect(found({ group: 'all', text: 'nut' })).toEqual(['a', 'b', 'c']);
    expect(found({ group: 'failed', text: 'cut off' })).toEqual(['b']);
    expect(found({ group: 'completed', text: 'caps' })).toEqual([]);
  });
});
