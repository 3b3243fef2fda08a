import { Source, type Result, type WatchResponse } from '../../../proto/gen/core/config/v1/config.ts';
import { Result_Outcome } from '../../../proto/gen/core/config/v1/config.ts';
import { resultMessage } from './part-history.ts';
import type { PartVersions } from './part-versions.ts';
import type { PartWatches } from './part-watches.ts';
import { checkText } from './text-check.ts';
import type { LiveParts } from '../presence/live-parts.ts';
import { statusOf } from '../presence/presence-message.ts';

/** Where the state of configurations comes from. */
export interface ConfigSources {
  readonly versions: PartVersions;
  readonly live: LiveParts;
  readonly watches: PartWatches;
}

/**
 * The configuration of a part as its hub knows it: the stored text, and the state that the machine reports now or
 * reported last.
 */
export async function configState(sources: ConfigSources, partId: string): Promise<WatchResponse> {
  const { versions, live, watches } = sources;
  const [current, presence] = await Promise.all([versions.current(partId), live.presence.read([partId])]);
  const reported = watches.latest(partId);
  const row = presence.get(partId);
  const ownsConfig = row?.owns_config === 1;
  // The file is authoritative, and the machine reads it before the hub gets its text.
  if (ownsConfig && reported !== undefined) return reported;
  const text = current?.text ?? '';
  const revision = current?.revision ?? '';
  const isTaken = reported !== undefined && reported.revision === revision;
  return {
    text,
    revision,
    appliedRevision: reported?.appliedRevision ?? statusOf(row)?.appliedRevision ?? '',
    problems: isTaken ? reported.problems : text === '' ? [] : checkText(text),
    source: ownsConfig ? Source.FILE : text === '' ? Source.NONE : Source.HUB,
    result: isTaken
      ? reported.result
      : ((current && resultMessage(current)) ?? pendingResult(revision, row?.is_online === 1)),
    path: '',
    readOnly: ownsConfig,
  };
}

function pendingResult(revision: string, isOnline: boolean): Result | undefined {
  if (revision === '') return undefined;
  const message = isOnline
    ? 'The machine has not taken this configuration yet.'
    : 'The machine is offline: it takes this configuration when it is online.';
  return {
    outcome: Result_Outcome.UNSPECIFIED,
    revision,
    message,
    time: undefined,
    returnedText: '',
    unready: [],
    deferred: undefined,
    took: undefined,
  };
}
