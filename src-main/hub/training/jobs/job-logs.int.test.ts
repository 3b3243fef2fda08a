import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ModelType } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { openTestStore, testStores } from '../../storage/testing/test-stores.ts';
import { JobLogs } from './job-logs.ts';
import { TrainingJobs } from './training-jobs.ts';

describe.each(testStores)('the log of a training job on $name', (kind) => {
  let opened: Awaited<ReturnType<typeof openTestStore>>;
  let clock: ManualClock;
  let logs: JobLogs;
  let jobId = '';

  beforeEach(async () => {
    clock = new ManualClock();
    opened = await openTestStore(kind);
    const { store } = opened;
    logs = new JobLogs(store, clock, silentLogger);
    await store.transaction((tx) =>
      tx
        .insertInto('organizations')
        .values({ id: 'o', name: 'O', public_namespace: null, region: '', cid: null, metadata: '{}', created_at: 1 })
        .execute(),
    );
    const job = {
      organizationId: 'o',
      datasetId: 'd',
      snapshot: { id: '1', number: 1 },
      modelName: 'm',
      modelVersion: '1',
      modelType: ModelType.SINGLE_LABEL_CLASSIFICATION,
      tags: ['a', 'b'],
    };
    jobId = await store.transaction((tx) => new TrainingJobs(store, clock).add(job, tx));
  });

  afterEach(() => opened.end());

  it('continues after the lines of an earlier attempt', async () => {
    const first = await logs.open(jobId);
    first.line('info', 'one\0 and more');
    first.line('error', 'x'.repeat(10_000));
    await first.close();
    const second = await logs.open(jobId);
    second.note('warn', 'again');
    await second.close();
    const entries = await logs.read(jobId, 0, 10);
    expect(entries.map(({ number, level, message }) => [number, level, message.length])).toEqual([
      [1, 'info', 'one and more'.length],
      [2, 'error', 4_000],
      [3, 'warn', 5],
    ]);
    expect((await logs.read(jobId, 2, 10)).map(({ message }) => message)).toEqual(['again']);
  });

  it('leaves out lines that are too many, says how many, and keeps lines of the hub', async () => {
    const log = await logs.open(jobId);
    for (let index = 0; index < 5_000; index++) log.line('info', `line ${index}`);
    log.note('error', 'It failed.');
    await log.close();
    const entries = await logs.read(jobId, 0, 5_000);
    expect(entries.length).toBeLessThan(1_100);
    const [dropped, last] = entries.slice(-2);
    const kept = entries.length - 2;
    expect(dropped?.message).toMatch(new RegExp(`^${5_000 - kept} lines are left out`));
    expect(last?.message).toBe('It failed.');
    const later = await logs.open(jobId);
    clock.advance(60_000);
    later.line('info', 'calm again');
    await later.close();
    expect((await logs.read(jobId, last?.number ?? 0, 10)).map(({ message }) => message)).toEqual(['calm again']);
  });
});
