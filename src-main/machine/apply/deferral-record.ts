import { JsonRecord, type PersistentRecord } from '../../base/files/json-record.ts';

/** What a restarted server needs to know about a stored text that waits for its maintenance window. */
export interface SavedDeferral {
  /** Revision of the text that waits. */
  readonly revision: string;
  /** Time limit of its safe apply; 0 for none. */
  readonly returnAfterMs: number;
  /** Wall-clock time, milliseconds. */
  readonly since: number;
  /** The text that the machine runs meanwhile. */
  readonly runningText: string;
  /** Revision of the text that waited before, and that is stored until this one is; '' for none. */
  readonly replaces: string;
  /** The terms on which that text waited; absent in records of earlier versions of the program. */
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
