import { JsonRecord, type PersistentRecord } from '../../base/files/json-record.ts';

/** A stored text that waits for its maintenance window: what a server that starts again has to know of it. */
export interface SavedDeferral {
  /** Of the text that waits. */
  readonly revision: string;
  /** Of the safe apply that it is to be; 0 for none. */
  readonly returnAfterMs: number;
  /** Wall-clock time, milliseconds. */
  readonly since: number;
  /** What the machine runs meanwhile. */
  readonly runningText: string;
  /** Revision of the text that waited before, and is stored until this one is; '' for none. */
  readonly replaces: string;
  /** On which terms that one waited; a record of an earlier version does not say it. */
  readonly replacedTerms?: Pick<SavedDeferral, 'returnAfterMs' | 'since'> | undefined;
}

/** Where a deferral survives a restart of the server. */
export type DeferralRecord = PersistentRecord<SavedDeferral>;

/** A file for one deferral. */
export class DeferralRecordFile extends JsonRecord<SavedDeferral> {
  constructor(path: string) {
    super({
      path,
      isValid: isSavedDeferral,
      what: 'What runs until maintenance is allowed',
      nextStep: 'Set SVC_HOME to a folder that can be written.',
    });
  }
}

function isSavedDeferral(value: unknown): value is SavedDeferral {
  if (typeof value !== 'object' || value === null) return false;
  const { revision, runningText, replaces, replacedTerms } = value as Record<string, unknown>;
  return (
    typeof revision === 'string' &&
    areTerms(value) &&
    (replacedTerms === undefined || areTerms(replacedTerms)) &&
    typeof runningText === 'string' &&
    typeof replaces === 'string'
  );
}

function areTerms(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { returnAfterMs, since } = value as Record<string, unknown>;
  return typeof returnAfterMs === 'number' && returnAfterMs >= 0 && typeof since === 'number';
}
