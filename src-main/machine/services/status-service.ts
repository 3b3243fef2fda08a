import { onAbort } from '../../base/abort.ts';
import { AsyncQueue } from '../../base/async-queue.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import {
  Machine_State,
  Resource_State,
  type Machine,
  type Resource,
  type StatusServiceDefinition,
  type WatchResponse,
} from '../../../proto/gen/core/status/v1/status.ts';
import type { ResourceStatus, StatusChanges } from '../graph/state.ts';

/** What is known of the machine as a whole. */
export interface MachineSummary {
  readonly name: string;
  readonly state: 'initializing' | 'running' | 'stopping';
  readonly version: string;
  readonly desiredRevision: string;
  readonly appliedRevision: string;
  readonly startedAt: number;
  readonly configSource: string;
  readonly errors: number;
  readonly warnings: number;
}

/** Where the service takes its facts from. */
export interface StatusSource {
  machine(): MachineSummary;
  resources(): readonly ResourceStatus[];
  /** Calls back on every change of either; `resources` is undefined where only the machine changed. */
  onChange(listener: (resources: StatusChanges | undefined) => void): () => void;
}

/** Batches waiting for one reader; a reader that is further behind gets a new snapshot. */
const LARGEST_BACKLOG = 64;

const machineState = {
  initializing: Machine_State.INITIALIZING,
  running: Machine_State.RUNNING,
  stopping: Machine_State.STOPPING,
} as const;

const resourceState = {
  unconfigured: Resource_State.UNCONFIGURED,
  waiting: Resource_State.WAITING,
  configuring: Resource_State.CONFIGURING,
  ready: Resource_State.READY,
  failed: Resource_State.FAILED,
  removing: Resource_State.REMOVING,
  disabled: Resource_State.DISABLED,
} as const;

function toWireMachine(summary: MachineSummary): Machine {
  return { ...summary, state: machineState[summary.state], startedAt: new Date(summary.startedAt) };
}

export function toWireResource(status: ResourceStatus): Resource {
  const { state } = status;
  return {
    name: status.fullName,
    api: status.api,
    model: status.model,
    state: resourceState[state.kind],
    reason: 'reason' in state ? state.reason : '',
    waitingFor: state.kind === 'waiting' ? [...state.for] : [],
    since: new Date(status.since),
    attempts: state.kind === 'failed' ? state.attempts : 0,
    nextRetry: state.kind === 'failed' && state.nextRetryAt !== undefined ? new Date(state.nextRetryAt) : undefined,
    revision: status.revision,
    dependsOn: [...status.dependsOn],
    notes: status.notes,
  };
}

/** core.status.v1.StatusService: a snapshot, then changes; a slow reader gets a new snapshot, never a gap. */
export function statusService(source: StatusSource): ServiceHandlers<typeof StatusServiceDefinition> {
  const snapshot = (): WatchResponse => ({
    event: {
      $case: 'snapshot',
      value: {
        machine: toWireMachine(source.machine()),
        resources: source.resources().map(toWireResource),
        modules: [],
      },
    },
  });
  const changes = (batch: StatusChanges | undefined): WatchResponse => ({
    event: {
      $case: 'changes',
      value: {
        machine: batch === undefined ? toWireMachine(source.machine()) : undefined,
        upserted: batch?.upserted.map(toWireResource) ?? [],
        removed: [...(batch?.removed ?? [])],
        upsertedModules: [],
        removedModules: [],
      },
    },
  });
  return {
    async *watch(_request, call): AsyncGenerator<WatchResponse> {
      const queue = new AsyncQueue<StatusChanges | undefined>();
      let isBehind = false;
      const forget = source.onChange((batch) => {
        if (queue.size >= LARGEST_BACKLOG) isBehind = true;
        else queue.push(batch);
      });
      const forgetAbort = onAbort(call.signal, () => queue.end());
      try {
        yield snapshot();
        for await (const batch of queue) {
          if (!isBehind) {
            yield changes(batch);
          } else if (queue.size === 0) {
            // What was left out is in the snapshot; what was queued before it is older and skipped.
            isBehind = false;
            yield snapshot();
          }
        }
      } finally {
        forget();
        forgetAbort();
      }
    },
  };
}
