/** Messages of the machine in the page's own words. Pure: one function a message. */
import {
  PlanChange_Kind,
  Problem_Severity,
  Result_Outcome,
  Source,
  type Deferred,
  type Plan,
  type Problem as ProblemMessage,
  type Result,
  type WatchResponse as ConfigWatchResponse,
} from '../../../proto/gen/core/config/v1/config.ts';
import type { Duration } from '../../../proto/gen/google/protobuf/duration.ts';
import {
  Machine_State,
  Resource_State,
  type Machine,
  type Resource,
  type WatchResponse as StatusWatchResponse,
} from '../../../proto/gen/core/status/v1/status.ts';
import {
  shortName,
  type ConfigDocument,
  type ConfigPlan,
  type ConfigResult,
  type DeferredConfig,
  type MachineInfo,
  type PlanChangeKind,
  type PlannedModule,
  type PlannedResource,
  type PlannedSetting,
  type Problem,
  type ResourceStateKind,
  type ResourceView,
  type StatusEvent,
} from './machine-view.ts';
import { moduleFrom } from './module-from-proto.ts';

const modulePrefix = 'module/';

export function problemFrom(message: ProblemMessage): Problem {
  return {
    file: message.file,
    line: message.line,
    column: message.column,
    pointer: message.pointer,
    severity: message.severity === Problem_Severity.WARNING ? 'warning' : 'error',
    code: message.code,
    message: message.message,
    ...(message.found === '' ? {} : { found: message.found }),
    ...(message.allowed.length === 0 ? {} : { allowed: message.allowed }),
    ...(message.nearest === '' ? {} : { nearest: message.nearest }),
  };
}

const planKinds: Readonly<Record<number, PlanChangeKind>> = {
  [PlanChange_Kind.ADD]: 'add',
  [PlanChange_Kind.CHANGE_IN_PLACE]: 'change',
  [PlanChange_Kind.REBUILD]: 'rebuild',
  [PlanChange_Kind.REMOVE]: 'remove',
};

/** A plan by kind of subject: what stays as it is, and kinds this page does not know, are left out. */
export function planFrom(plan: Plan | undefined): ConfigPlan {
  const resources: PlannedResource[] = [];
  const modules: PlannedModule[] = [];
  const settings: PlannedSetting[] = [];
  const restarted = new Set(plan?.restartedModules);
  for (const change of plan?.changes ?? []) {
    const kind = planKinds[change.kind];
    if (kind === undefined) continue;
    const { subject, reason, fields, stopsMotion } = change;
    if (subject.startsWith(modulePrefix)) {
      const name = subject.slice(modulePrefix.length);
      const isRestart = kind === 'rebuild' || (kind === 'change' && restarted.has(name));
      modules.push({ kind: isRestart ? 'restart' : kind, name, reason });
      restarted.delete(name);
    } else if (subject.includes('/')) {
      resources.push({ kind, name: subject, reason, fields, stopsMotion });
    } else {
      settings.push({ key: subject, reason, needsRestart: kind === 'rebuild' });
    }
  }
  for (const name of restarted) modules.push({ kind: 'restart', name, reason: '' });
  return {
    resources,
    modules,
    settings,
    summary: plan?.summary ?? '',
    problems: (plan?.problems ?? []).map(problemFrom),
  };
}

const sources: Readonly<Record<number, ConfigDocument['source']>> = {
  [Source.FILE]: 'file',
  [Source.HUB]: 'hub',
};

const outcomes: Readonly<Record<number, ConfigResult['outcome']>> = {
  [Result_Outcome.APPLYING]: 'applying',
  [Result_Outcome.APPLIED]: 'applied',
  [Result_Outcome.APPLIED_WITH_FAILURES]: 'applied-with-failures',
  [Result_Outcome.DEFERRED]: 'deferred',
  [Result_Outcome.REJECTED]: 'rejected',
  [Result_Outcome.RETURNED]: 'returned',
  [Result_Outcome.REPLACED]: 'replaced',
};

export function durationOf(ms: number): Duration {
  return { seconds: BigInt(Math.trunc(ms / 1000)), nanos: Math.round((ms % 1000) * 1e6) };
}

function msOf(duration: Duration | undefined): number {
  return duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}

/** Undefined for an outcome this page does not know. */
export function resultFrom(message: Result, receivedAt: number): ConfigResult | undefined {
  const outcome = outcomes[message.outcome];
  if (outcome === undefined) return undefined;
  const { revision, trial, returnedText, unready, deferred } = message;
  return {
    outcome,
    revision,
    message: message.message,
    at: message.time?.getTime() ?? 0,
    trial: trial === undefined ? undefined : { endsAt: receivedAt + msOf(trial.left), awaited: trial.awaited },
    deferred: deferred === undefined ? undefined : deferredFrom(deferred),
    returnedText,
    unready,
    ...(message.took === undefined ? {} : { tookMs: msOf(message.took) }),
  };
}

function deferredFrom({ plan, reason, since, runningText }: Deferred): DeferredConfig {
  return { plan: planFrom(plan), reason, since: since?.getTime() ?? 0, runningText };
}

/** @param receivedAt wall-clock time at which the message came, ms: what is left of a trial counts from there */
export function documentFrom(message: ConfigWatchResponse, receivedAt: number): ConfigDocument {
  return {
    text: message.text,
    revision: message.revision,
    source: sources[message.source] ?? 'none',
    path: message.path,
    isReadOnly: message.readOnly,
    result: message.result === undefined ? undefined : resultFrom(message.result, receivedAt),
  };
}

const machineStates: Readonly<Record<number, MachineInfo['state']>> = {
  [Machine_State.RUNNING]: 'running',
  [Machine_State.STOPPING]: 'stopping',
};

function machineFrom(machine: Machine): MachineInfo {
  return {
    name: machine.name,
    state: machineStates[machine.state] ?? 'starting',
    version: machine.version,
    configSource: machine.configSource,
    startedAt: machine.startedAt?.getTime(),
  };
}

const resourceStates: Readonly<Record<number, ResourceStateKind>> = {
  [Resource_State.WAITING]: 'waiting',
  [Resource_State.CONFIGURING]: 'configuring',
  [Resource_State.READY]: 'ready',
  [Resource_State.FAILED]: 'failed',
  [Resource_State.REMOVING]: 'removing',
  [Resource_State.DISABLED]: 'disabled',
};

export function resourceFrom(resource: Resource): ResourceView {
  return {
    fullName: resource.name,
    name: shortName(resource.name),
    api: resource.api,
    model: resource.model,
    state: resourceStates[resource.state] ?? 'unconfigured',
    reason: resource.reason,
    since: resource.since?.getTime() ?? 0,
    attempts: resource.attempts,
    waitingFor: resource.waitingFor,
    dependsOn: resource.dependsOn,
    nextTryAt: resource.nextRetry?.getTime() ?? 0,
  };
}

/** An event of the status stream; undefined for a kind this page does not know. */
export function statusFrom(message: StatusWatchResponse): StatusEvent | undefined {
  const { event } = message;
  if (event?.$case === 'snapshot' && event.value.machine !== undefined) {
    return {
      kind: 'snapshot',
      machine: machineFrom(event.value.machine),
      resources: event.value.resources.map(resourceFrom),
      modules: event.value.modules.map(moduleFrom),
    };
  }
  if (event?.$case === 'changes') {
    return {
      kind: 'changes',
      machine: event.value.machine === undefined ? undefined : machineFrom(event.value.machine),
      upserted: event.value.upserted.map(resourceFrom),
      removed: event.value.removed,
      upsertedModules: event.value.upsertedModules.map(moduleFrom),
      removedModules: event.value.removedModules,
    };
  }
  return undefined;
}
