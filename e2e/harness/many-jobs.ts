import { ModelType } from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { silentLogger } from '../../src-main/base/logger.ts';
import { openStore } from '../../src-main/hub/storage/open-store.ts';

const minuteMs = 60_000;
/** Rows of one statement: SQLite limits the number of values. */
const rowsAtOnce = 200;

/**
 * Stores many jobs for a hub that is not running.
 * @param kind finished jobs, every tenth of which failed, or jobs that wait
 */
export async function storeJobs(
  data: string,
  organizationId: string,
  count: number,
  kind: 'over' | 'waiting' = 'over',
): Promise<void> {
  const store = await openStore(data, silentLogger);
  const first = Date.now() - count * minuteMs;
  const jobs = Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const [at, hasFailed] = [first + index * minuteMs, kind === 'over' && number % 10 === 0];
    const job = {
      ...{ id: `job-${number}`, organization_id: organizationId, dataset_id: 'gone', snapshot_id: String(number) },
      ...{ snapshot_number: number, model_name: 'screws', model_version: String(number) },
      ...{ model_type: ModelType.OBJECT_DETECTION, tags: '["bolt","nut"]', created_at: at, results: null },
      ...{ registry_item_id: '', registry_item_version: '', container_version: '', arguments: '{}' },
    };
    if (kind === 'waiting') {
      const waiting = { status: 'pending' as const, attempts: 0, modified_at: at, news_at: at };
      return { ...job, ...waiting, started_at: null, ended_at: null, failure: '', failure_code: 0, model_id: '' };
    }
    return {
      ...job,
      ...{ status: hasFailed ? ('failed' as const) : ('completed' as const), attempts: 1 },
      ...{ modified_at: at + 40_000, started_at: at + 1_000, ended_at: at + 40_000, news_at: at + 40_000 },
      ...{ failure: hasFailed ? `The picture ${number}.png cannot be read.` : '', failure_code: hasFailed ? 9 : 0 },
      model_id: hasFailed ? '' : `${organizationId}/screws`,
    };
  });
  for (let from = 0; from < count; from += rowsAtOnce) {
    const some = jobs.slice(from, from + rowsAtOnce);
    await store.transaction(async (tx) => {
      await tx.insertInto('training_jobs').values(some).execute();
      if (kind === 'waiting') return;
      const epochs = some.map(({ id }) => ({
        ...{ job_id: id, epoch: 30, of: 30, loss: 0.2 },
        metrics: '{"map_50":0.81,"mean_iou":0.74,"f1":0.8}',
      }));
      await tx.insertInto('training_epochs').values(epochs).execute();
    });
  }
  await store.close();
}
