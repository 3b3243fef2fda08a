import { JsonRecord, type PersistentRecord } from '../../base/files/json-record.ts';

/**
 * The terms of commit-confirm: a text is kept only if what was ready before is ready again in time. Contains everything
 * that a rollback needs, also after a restart.
 */
export interface TrialTerms {
  /** Revision of the text on trial. */
  readonly revision: string;
  readonly waitMs: number;
  /** The last text that was not on trial: the one to roll back to. */
  readonly goodText: string;
  /** Full names of the resources that were ready with it. */
  readonly readyBefore: readonly string[];
  /** Revision of the text that was on trial when this one was applied, with the same good text; '' for none. */
  readonly replaces: string;
  /** The terms of that trial; absent in records of earlier versions of the program. */
  readonly replacedTerms?: Pick<TrialTerms, 'waitMs' | 'restarts'> | undefined;
  /** How often the server has ended while this was on trial. */
  readonly restarts: number;
}

/** Where the terms of a trial are saved, so that they survive the server. */
export type TrialRecord = PersistentRecord<TrialTerms>;

/** A file for the terms of one trial. */
export class TrialRecordFile extends JsonRecord<TrialTerms> {
  constructor(path: string) {
    super({
      path,
      isValid: isTrialTerms,
      what: 'The configuration to roll back to',
      nextStep: 'Set SVC_HOME to a folder that can be written, or apply without a way back.',
    });
  }
}

function isTrialTerms(value: unknown): value is TrialTerms {
  if (typeof value !== 'object' || value === null) return false;
  const { revision, goodText, readyBefore, replaces, replacedTerms } = value as Record<string, unknown>;
  return (
    typeof revision === 'string' &&
    areTerms(value) &&
    (replacedTerms === undefined || areTerms(replacedTerms)) &&
    typeof goodText === 'string' &&
    Array.isArray(readyBefore) &&
    readyBefore.every((name) => typeof name === 'string') &&
    typeof replaces === 'string'
  );
}

function areTerms(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { waitMs, restarts } = value as Record<string, unknown>;
  return typeof waitMs === 'number' && waitMs > 0 && typeof restarts === 'number';
}
