import type { ApplyResponse } from '../../../../proto/gen/core/config/v1/config.ts';
import { StatusCode } from '../../../../proto/status-code.ts';
import { RpcError } from '../../../link/rpc-error.ts';
import { problemFrom } from '../rpc/from-proto.ts';
import type { ApplyOutcome } from '../machine-view.ts';

/** After these codes it is unknown whether the call was carried out. */
const undecided: ReadonlySet<number> = new Set([
  StatusCode.CANCELLED,
  StatusCode.UNKNOWN,
  StatusCode.DEADLINE_EXCEEDED,
  StatusCode.INTERNAL,
  StatusCode.UNAVAILABLE,
]);

/** The outcome of a call that gives the machine a text to apply. Rejects if the outcome is unknown. */
export async function applyOutcome(call: () => Promise<ApplyResponse['outcome']>): Promise<ApplyOutcome> {
  let outcome: ApplyResponse['outcome'];
  try {
    outcome = await call();
  } catch (thrown) {
    if (thrown instanceof RpcError && !undecided.has(thrown.code)) return { kind: 'failed', reason: thrown.message };
    throw thrown;
  }
  switch (outcome?.$case) {
    case 'applied':
      return { kind: 'applied', revision: outcome.value.revision };
    case 'conflict':
      return {
        kind: 'conflict',
        theirs: { text: outcome.value.currentText, revision: outcome.value.currentRevision },
      };
    case 'rejected':
      return { kind: 'refused', problems: outcome.value.problems.map(problemFrom) };
    case undefined:
      throw new Error('The machine did not say what became of the text. Reload the page to see what is applied.');
  }
}
