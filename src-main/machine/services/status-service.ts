import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import {
  Machine_State,
  Module_State,
  ModuleUpdate_Step,
  Package_State,
  Remote_State,
  type Machine,
  type Module,
  type ModuleUpdate as WireUpdate,
  type Package,
  type Remote,
  type Resource,
  type StatusServiceDefinition,
  type WatchResponse,
} from '../../../proto/gen/core/status/v1/status.ts';
import { wireStates, type ResourceStatus, type StatusChanges } from '../graph/state.ts';
import type { ModuleChanges, ModuleStatus, ModuleUpdate } from '../modules/module-status.ts';
import type { PackageChanges, PackageStatus } from '../modules/package-status.ts';
import type { RemoteChanges, RemoteStatus } from '../remotes/remote-status.ts';

/** The status of the machine as a whole. */
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

/** Sources of the status. */
export interface StatusSource {
  machine(): MachineSummary;
  resources(): readonly ResourceStatus[];
  /** Calls `listener` on every change of either; `resources` is undefined if only the machine changed. */
  onChange(listener: (resources: StatusChanges | undefined) => void): () => void;
  modules(): readonly ModuleStatus[];
  packages(): readonly PackageStatus[];
  onPackages(listener: (packages: PackageChanges) => void): () => void;
  remotes(): readonly RemoteStatus[];
  onRemotes(listener: (remotes: RemoteChanges) => void): () => void;
  /**
   * Retries one at once.
   * @throws {ArmatureError} `call.not_found`
   */
  retryPackage(name: string): void;
  /** The same for modules. Their usage is measured only while somebody listens. */
  onModules(listener: (modules: ModuleChanges) => void): () => void;
}

/** The content of one message. */
interface Batch {
  readonly resources?: StatusChanges | undefined;
  readonly modules?: ModuleChanges;
  readonly packages?: PackageChanges;
  readonly remotes?: RemoteChanges;
}

/** Batches that may wait for one reader; a slower reader gets a new snapshot. */
const LARGEST_BACKLOG = 64;

const machineState = {
  initializing: Machine_State.INITIALIZING,
  running: Machine_State.RUNNING,
  stopping: Machine_State.STOPPING,
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
    state: wireStates[state.kind],
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

const moduleState = {
  pending: Module_State.PENDING,
  starting: Module_State.STARTING,
  ready: Module_State.READY,
  failed: Module_State.FAILED,
  stopping: Module_State.STOPPING,
  disabled: Module_State.DISABLED,
} as const;

const updateStep = {
  downloading: ModuleUpdate_Step.DOWNLOADING,
  unpacking: ModuleUpdate_Step.UNPACKING,
  'first-run': ModuleUpdate_Step.FIRST_RUN,
  deferred: ModuleUpdate_Step.DEFERRED,
  switching: ModuleUpdate_Step.SWITCHING,
  rejected: ModuleUpdate_Step.REJECTED,
} as const;

export function toWireModule(status: ModuleStatus): Module {
  const { state, update, usage } = status;
  const isFailed = state.kind === 'failed';
  return {
    name: status.name,
    moduleId: status.moduleId,
    version: status.version,
    state: moduleState[state.kind],
    reason: state.reason,
    since: new Date(status.since),
    attempts: isFailed ? state.attempts : 0,
    nextRetry: isFailed && state.nextRetryAt !== undefined ? new Date(state.nextRetryAt) : undefined,
    pid: status.pid,
    models: status.models.map(({ model }) => model),
    notes: status.notes,
    restarts: status.restarts,
    lastExit: status.lastExit,
    cpu: usage?.cpu ?? 0,
    memoryBytes: BigInt(usage?.memoryBytes ?? 0),
    wantedVersion: status.wantedVersion,
    isFromRegistry: status.isFromRegistry,
    update: toWireUpdate(update),
    restartHint: status.restartHint,
    isolation: status.isolation,
  };
}

function toWireUpdate(update: ModuleUpdate | undefined): WireUpdate | undefined {
  if (update === undefined) return undefined;
  const { doneBytes, totalBytes } = update;
  return {
    ...update,
    step: updateStep[update.step],
    doneBytes: BigInt(doneBytes),
    totalBytes: BigInt(totalBytes),
  };
}

const packageState = {
  pending: Package_State.PENDING,
  ready: Package_State.READY,
  failed: Package_State.FAILED,
} as const;

function toWirePackage(status: PackageStatus): Package {
  return {
    name: status.name,
    package: status.packageId,
    type: status.type,
    version: status.version,
    wantedVersion: status.wantedVersion,
    state: packageState[status.state],
    reason: status.reason,
    since: new Date(status.since),
    update: toWireUpdate(status.update),
  };
}

const remoteState = {
  connecting: Remote_State.CONNECTING,
  connected: Remote_State.CONNECTED,
  failed: Remote_State.FAILED,
  disabled: Remote_State.DISABLED,
} as const;

function toWireRemote({ nextRetryAt, ...status }: RemoteStatus): Remote {
  return {
    ...status,
    state: remoteState[status.state],
    since: new Date(status.since),
    nextRetry: nextRetryAt === undefined ? undefined : new Date(nextRetryAt),
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
        modules: source.modules().map(toWireModule),
        packages: source.packages().map(toWirePackage),
        remotes: source.remotes().map(toWireRemote),
      },
    },
  });
  const changes = ({ resources, modules, packages, remotes }: Batch): WatchResponse => ({
    event: {
      $case: 'changes',
      value: {
        machine:
          (resources ?? modules ?? packages ?? remotes) === undefined ? toWireMachine(source.machine()) : undefined,
        upserted: resources?.upserted.map(toWireResource) ?? [],
        removed: [...(resources?.removed ?? [])],
        upsertedModules: modules?.upserted.map(toWireModule) ?? [],
        removedModules: [...(modules?.removed ?? [])],
        upsertedPackages: packages?.upserted.map(toWirePackage) ?? [],
        removedPackages: [...(packages?.removed ?? [])],
        upsertedRemotes: remotes?.upserted.map(toWireRemote) ?? [],
        removedRemotes: [...(remotes?.removed ?? [])],
      },
    },
  });
  return {
    async *watch(_request, call): AsyncGenerator<WatchResponse> {
      const queue = new AsyncQueue<Batch>();
      let isBehind = false;
      const push = (batch: Batch): void => {
        if (queue.size >= LARGEST_BACKLOG) isBehind = true;
        else queue.push(batch);
      };
      const endings = [
        source.onChange((resources) => push({ resources })),
        source.onModules((modules) => push({ modules })),
        source.onPackages((packages) => push({ packages })),
        source.onRemotes((remotes) => push({ remotes })),
      ];
      const forgetAbort = onAbort(call.signal, () => queue.end());
      try {
        yield snapshot();
        for await (const batch of queue) {
          if (!isBehind) {
            yield changes(batch);
          } else if (queue.size === 0) {
            // Dropped changes are in the snapshot; earlier queued ones are older and skipped.
            isBehind = false;
            yield snapshot();
          }
        }
      } finally {
        for (const end of endings) end();
        forgetAbort();
      }
    },

    retryPackage({ name }) {
      source.retryPackage(name);
      return {};
    },
  };
}
