import { namespaceIn, sentenceIn, type Dialect } from '../../base/dialect.ts';
import { parseTriplet } from '../../../proto/config/names.ts';
import type { ResourceName } from '../../../proto/gen/core/common/v1/common.ts';
import {
  ModuleStatus_State,
  PackageStatus_State,
  ResourceStatus_State,
  type JobStatus as WireJobStatus,
  type ModuleStatus as WireModuleStatus,
  type PackageStatus as WirePackageStatus,
  type ResourceStatus as WireStatus,
} from '../../../proto/gen/core/robot/v1/status.ts';
import { isUnderWay, type ResourceState, type ResourceStatus } from '../graph/state.ts';
import type { JobStatus } from '../jobs/job-history.ts';
import type { ModuleStatus } from '../modules/module-status.ts';
import type { PackageStatus } from '../modules/package-status.ts';
import { PackageType } from '../../../proto/gen/core/app/packages/v1/packages.ts';

/**
 * The public states for ours. As in the public server, a failed resource stays UNHEALTHY while it is retried, and only
 * one that is being built is CONFIGURING.
 */
function publicState(state: ResourceState): { readonly state: ResourceStatus_State; readonly error: string } {
  switch (state.kind) {
    case 'unconfigured':
    case 'disabled':
      return { state: ResourceStatus_State.UNCONFIGURED, error: '' };
    case 'ready':
      return { state: ResourceStatus_State.READY, error: '' };
    case 'removing':
      return { state: ResourceStatus_State.REMOVING, error: '' };
    case 'configuring':
      if (isUnderWay(state)) return { state: ResourceStatus_State.CONFIGURING, error: '' };
      return { state: ResourceStatus_State.UNHEALTHY, error: state.lastFailure ?? state.reason };
    case 'waiting':
      if (isUnderWay(state)) return { state: ResourceStatus_State.CONFIGURING, error: '' };
      return { state: ResourceStatus_State.UNHEALTHY, error: state.reason };
    case 'failed':
      return { state: ResourceStatus_State.UNHEALTHY, error: state.reason };
  }
}

/** A resource as the public services name it. */
export function resourceName(api: string, name: string, dialect: Dialect): ResourceName {
  const triplet = parseTriplet(api);
  return {
    namespace: namespaceIn(triplet?.namespace ?? '', dialect),
    type: triplet?.family ?? '',
    subtype: triplet?.name ?? '',
    name,
  };
}

/** The status of a resource for GetMachineStatus. */
export function toWireStatus(status: ResourceStatus, revision: string, dialect: Dialect): WireStatus {
  const { state, error } = publicState(status.state);
  return {
    name: resourceName(status.api, status.name, dialect),
    state,
    lastUpdated: new Date(status.since),
    revision,
    error: sentenceIn(error, dialect),
    cloudMetadata: undefined,
  };
}

const wireModuleStates = {
  pending: ModuleStatus_State.PENDING,
  starting: ModuleStatus_State.STARTING,
  ready: ModuleStatus_State.READY,
  failed: ModuleStatus_State.UNHEALTHY,
  stopping: ModuleStatus_State.CLOSING,
} as const;

/** Disabled modules are left out, because clients of the ecosystem have no state for them. */
export function toWireModules(modules: readonly ModuleStatus[], dialect: Dialect): WireModuleStatus[] {
  return modules.flatMap(({ name, state, since }) => {
    if (state.kind === 'disabled') return [];
    const isFailed = state.kind === 'failed';
    // A running module with a reason does not answer.
    const isSilent = state.kind === 'ready' && state.reason !== '';
    return {
      moduleName: name,
      state: wireModuleStates[isSilent ? 'failed' : state.kind],
      lastUpdated: new Date(since),
      error: isFailed || isSilent ? sentenceIn(state.reason, dialect) : '',
      consecutiveFailures: isFailed ? state.attempts : 0,
    };
  });
}

/** Packages for GetMachineStatus: an installed one is ready, even while it is being replaced. */
export function toWirePackages(packages: readonly PackageStatus[], dialect: Dialect): WirePackageStatus[] {
  return packages.map(({ name, version, wantedVersion, state, reason, since, update }) => ({
    name,
    type: PackageType.ML_MODEL,
    state: publicPackageState(state, update?.step),
    error: state === 'failed' ? sentenceIn(reason, dialect) : '',
    lastUpdated: new Date(since),
    version: version === '' ? wantedVersion : version,
    bytesDownloaded: BigInt(update?.doneBytes ?? 0),
    totalBytes: BigInt(update?.totalBytes ?? 0),
  }));
}

/** When the last runs of each job ended, for GetMachineStatus. */
export function toWireJobs(jobs: readonly JobStatus[]): WireJobStatus[] {
  return jobs.map(({ name, successes, failures }) => ({
    jobName: name,
    recentSuccessfulRuns: successes.map((at) => new Date(at)),
    recentFailedRuns: failures.map((at) => new Date(at)),
  }));
}

function publicPackageState(state: PackageStatus['state'], step: string | undefined): PackageStatus_State {
  if (state === 'ready') return PackageStatus_State.READY;
  if (state === 'failed') return PackageStatus_State.FAILED;
  return step === 'unpacking' ? PackageStatus_State.LOADING : PackageStatus_State.DOWNLOADING;
}
