import type { TrainingJob } from '../../../../proto/gen/core/hub/v1/training.ts';
import type { Text } from '../../../shared/text.ts';
import { formatAge } from '../../../shared/timing/age.ts';
import { silentAfterMs, statusName } from './job-facts.ts';

/** Metrics that have a title. Others, which scripts may report, keep their own name. */
const knownMetrics = ['accuracy', 'f1', 'exact_match', 'map_50', 'mean_iou'] as const;

/** `epoch 37 of 60`, `queued, next`, `canceling`. */
export function statusWords(job: TrainingJob, t: Text): string {
  const name = statusName(job);
  const { progress, queuePosition } = job;
  if (name === 'running' && progress !== undefined) {
    return t('train.status.epoch', { epoch: progress.epoch, of: progress.of });
  }
  if (name === 'pending' && queuePosition > 0) return t('train.status.queued', { count: queuePosition - 1 });
  return t(`train.status.${name}`);
}

/** `last update 2 s ago`, `no update for 40 s`. */
export function newsWords(silenceMs: number, t: Text): string {
  // Whole seconds, because the text is updated every second.
  const age = silenceMs < 10_000 ? `${Math.floor(silenceMs / 1_000)} s` : formatAge(silenceMs);
  return t(silenceMs < silentAfterMs ? 'train.news.last' : 'train.news.none', { age });
}

/** `mAP`, `accuracy`. */
export function metricWords(name: string, t: Text): string {
  const known = knownMetrics.find((each) => each === name);
  return known === undefined ? name : t(`train.metric.${known}`);
}
