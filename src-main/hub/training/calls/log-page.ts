import type { TrainingJobLogEntry } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { JobLogs } from '../jobs/job-logs.ts';
import { logMessage } from './wire-jobs.ts';

const PAGE_LINES = 100;

/** A page of a log, in the order in which the lines were written. */
export interface LogPage {
  readonly entries: TrainingJobLogEntry[];
  /** Token of the next page. */
  readonly nextToken: string;
  /** Whether there are no more lines at present. */
  readonly isWhole: boolean;
}

/** @param token from the previous page; '' for the first one @throws {ArmatureError} `call.bad_argument` */
export async function readLog(logs: JobLogs, id: string, token = ''): Promise<LogPage> {
  const after = token === '' ? 0 : Number(token);
  if (!Number.isSafeInteger(after) || after < 0) {
    throw new ArmatureError('call.bad_argument', '"page_token" is none of this log: begin without one.');
  }
  const entries = await logs.read(id, after, PAGE_LINES);
  return {
    entries: entries.map(logMessage),
    nextToken: String(entries.at(-1)?.number ?? after),
    isWhole: entries.length < PAGE_LINES,
  };
}
