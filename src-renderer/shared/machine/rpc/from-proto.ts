/** Converts messages of the machine to the page's own types. Pure functions, one per message. */
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
} from '../../../../proto/gen/core/config/v1/config.ts';
import type { Duration } from '../../../../proto/gen/google/protobuf/duration.ts';
import type {
  ConfigDocument,
  ConfigPlan,
  ConfigResult,
  DeferredConfig,
  PlanChangeKind,
  PlannedModule,
  PlannedResource,
  PlannedSetting,
  Problem,
} from '../machine-view.ts';

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
    ...(message.missing === '' ? {} : { missing: message.missing }),
  };
}

const planKinds: Readonly<Record<number, PlanChangeKind>> = {
  [PlanChange_Kind.ADD]: 'add',
  [PlanChange_Kind.CHANGE_IN_PLACE]: 'change',
  [PlanChange_Kind.REBUILD]: 'rebuild',
  [PlanChange_Kind.REMOVE]: 'remove',
};

/** Groups a plan by kind of subject. Leaves out what is unchanged and kinds that this page does not know. */
export function planFrom(plan: Plan | undefined): ConfigPlan {
  const resources: PlannedResource[] = [];
  const modules: PlannedModule[] = [];
  const settings: PlannedSetting[] = [];
  const restarted = new Set(plan?.restartedModules);
  for (const change of plan?.changes ?? []) {
    const kind = planKinds[change.kind];
    if (kind === undefined) continue;
    const { subject, reason, fields, stopsMotion, renamedFrom } = change;
    if (subject.startsWith(modulePrefix)) {
      const name = subject.slice(modulePrefix.length);
      const isRestart = kind === 'rebuild' || (kind === 'change' && restarted.has(name));
      modules.push({ kind: isRestart ? 'restart' : kind, name, reason });
      restarted.delete(name);
    } else if (subject.includes('/')) {
      resources.push({ kind, name: subject, reason, fields, stopsMotion, renamedFrom });
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

/** @param receivedAt when the message arrived, wall-clock ms: the rest of a trial is counted from there */
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
