import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import { ArmatureError } from '../../base/errors.ts';
import {
  PlanChange_Kind,
  Problem_Severity,
  Result_Outcome,
  Source,
  type AnnotateRequest,
  type AnnotateResponse,
  type ApplyRequest,
  type ApplyResponse,
  type ConfigServiceDefinition,
  type Deferred as WireDeferred,
  type GetVersionRequest,
  type GetVersionResponse,
  type HistoryRequest,
  type HistoryResponse,
  type Plan as WirePlan,
  type PlanChange,
  type Problem as WireProblem,
  type RestoreRequest,
  type Result,
  type Trial as WireTrial,
  type WatchResponse,
} from '../../../proto/gen/core/config/v1/config.ts';
import type { Duration } from '../../../proto/gen/google/protobuf/duration.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { Principal } from '../../rpc/principal.ts';
import type { ServerCall } from '../../rpc/call.ts';
import { roleAllows } from '../../../proto/config/permissions.ts';
import { maskSecrets } from '../../../proto/config/secret-split.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import type { Plan, ResourceChange } from '../config/plan/plan.ts';
import { foremost } from '../config/problem-list.ts';
import type { ApplyOutcome, ConfigState, Deferred, OpenTrial, Outcome } from '../apply/config-state.ts';
import type { Configuration } from '../apply/configuration.ts';

/** Problems in one message: a large file can have more than a client takes in one. */
const MAX_PROBLEMS_SENT = 1_000;
const LONGEST_TRIAL_MS = 600_000;

const outcomes: Readonly<Record<Outcome['kind'], Result_Outcome>> = {
  applying: Result_Outcome.APPLYING,
  applied: Result_Outcome.APPLIED,
  'applied-with-failures': Result_Outcome.APPLIED_WITH_FAILURES,
  deferred: Result_Outcome.DEFERRED,
  rejected: Result_Outcome.REJECTED,
  'rolled-back': Result_Outcome.RETURNED,
  replaced: Result_Outcome.REPLACED,
};

const sources = { file: Source.FILE, hub: Source.HUB, none: Source.NONE } as const;

const changeKinds: Readonly<Record<ResourceChange['kind'], PlanChange_Kind>> = {
  add: PlanChange_Kind.ADD,
  change: PlanChange_Kind.CHANGE_IN_PLACE,
  rebuild: PlanChange_Kind.REBUILD,
  remove: PlanChange_Kind.REMOVE,
};

function toWireProblem(problem: Problem): WireProblem {
  return {
    ...problem,
    severity: problem.severity === 'error' ? Problem_Severity.ERROR : Problem_Severity.WARNING,
    found: problem.found ?? '',
    allowed: [...(problem.allowed ?? [])],
    nearest: problem.nearest ?? '',
    missing: problem.missing ?? '',
  };
}

/** Problems of a list that fit one message, and the number left out. */
function toWireProblems(problems: readonly Problem[]): WireProblem[] {
  const sent = foremost(problems, MAX_PROBLEMS_SENT);
  const left = problems.length - sent.length;
  if (left === 0) return sent.map(toWireProblem);
  const more: Problem = {
    file: '',
    line: 0,
    column: 0,
    pointer: '',
    severity: 'warning',
    code: 'config.more_problems',
    message: `There are ${left} more problems; mend these first, or list all with armature config check.`,
  };
  return [...sent, more].map(toWireProblem);
}

function resourceChange(change: ResourceChange): PlanChange {
  return {
    kind: changeKinds[change.kind],
    subject: change.name,
    reason: change.reason,
    fields: 'fields' in change ? [...change.fields] : [],
    stopsMotion: 'stopsMotion' in change && change.stopsMotion,
    renamedFrom: change.kind === 'add' ? (change.renamedFrom ?? '') : '',
  };
}

/** A plan as the window shows it: settings, modules, then resources in their order. */
export function toWirePlan(plan: Plan, problems: readonly Problem[]): WirePlan {
  const settings = plan.settings.map((setting): PlanChange => ({
    kind: setting.needsRestart ? PlanChange_Kind.REBUILD : PlanChange_Kind.CHANGE_IN_PLACE,
    subject: setting.key,
    reason: setting.needsRestart ? `${setting.reason}; takes effect after a restart of the server` : setting.reason,
    fields: [],
    stopsMotion: false,
    renamedFrom: '',
  }));
  const moduleKinds = {
    add: PlanChange_Kind.ADD,
    change: PlanChange_Kind.CHANGE_IN_PLACE,
    restart: PlanChange_Kind.REBUILD,
    remove: PlanChange_Kind.REMOVE,
  } as const;
  const modules = plan.modules.map((change): PlanChange => ({
    kind: moduleKinds[change.kind],
    subject: `module/${change.name}`,
    reason: 'reason' in change ? change.reason : '',
    fields: [],
    stopsMotion: false,
    renamedFrom: '',
  }));
  return {
    changes: [...settings, ...modules, ...plan.resources.map(resourceChange)],
    restartedModules: plan.modules.flatMap((change) => (change.kind === 'restart' ? [change.name] : [])),
    problems: toWireProblems(problems),
    summary: plan.summary,
  };
}

function toWireTrial({ deadlineAt, leftMs, awaited }: OpenTrial): WireTrial {
  return { deadline: new Date(deadlineAt), left: durationOf(leftMs()), awaited: [...awaited] };
}

function toWireDeferred({ plan, reason, since, window, runningText }: Deferred): WireDeferred {
  return {
    plan: toWirePlan(plan, []),
    reason,
    since: new Date(since),
    sensorName: window.sensorName,
    allowedKey: window.allowedKey,
    runningText,
  };
}

/** The result of a text, in the form of the message. */
export function toResult(outcome: Outcome, trial: OpenTrial | undefined): Result {
  return {
    outcome: outcomes[outcome.kind],
    revision: outcome.revision,
    message: outcome.message,
    time: new Date(outcome.at),
    trial: trial === undefined ? undefined : toWireTrial(trial),
    returnedText: outcome.rolledBackText ?? '',
    unready: [...(outcome.unready ?? [])],
    deferred: outcome.deferred === undefined ? undefined : toWireDeferred(outcome.deferred),
    took: outcome.tookMs === undefined ? undefined : durationOf(outcome.tookMs),
  };
}

function toWatchResponse(state: ConfigState): WatchResponse {
  return {
    text: state.text,
    revision: state.revision,
    appliedRevision: state.appliedRevision,
    problems: toWireProblems(state.problems),
    source: sources[state.source],
    result: toResult(state.outcome, state.trial),
    path: state.path,
    readOnly: state.isReadOnly,
  };
}

function toApplyResponse(outcome: ApplyOutcome): ApplyResponse {
  switch (outcome.kind) {
    case 'applied':
      return {
        outcome: {
          $case: 'applied',
          value: { revision: outcome.revision, plan: toWirePlan(outcome.plan, outcome.problems) },
        },
      };
    case 'conflict':
      return {
        outcome: {
          $case: 'conflict',
          value: { currentRevision: outcome.currentRevision, currentText: outcome.currentText },
        },
      };
    case 'rejected':
      return { outcome: { $case: 'rejected', value: { problems: toWireProblems(outcome.problems) } } };
  }
}

/** Time of `return_after`, 0 if it is unset. Throws `call.bad_argument` if it is not allowed. */
function returnAfterMs(asked: Duration | undefined): number {
  const { seconds = 0n, nanos = 0 } = asked ?? {};
  const ms = Number(seconds) * 1_000 + nanos / 1e6;
  if (ms >= 0 && ms <= LONGEST_TRIAL_MS) return ms;
  throw new ArmatureError(
    'call.bad_argument',
    `return_after is ${ms / 1_000} s; 0 to ${LONGEST_TRIAL_MS / 1_000} s (10 minutes) are allowed, and 0 is no way back.`,
    { details: { returnAfterMs: ms, longestMs: LONGEST_TRIAL_MS } },
  );
}

function durationOf(ms: number): Duration {
  return { seconds: BigInt(Math.trunc(ms / 1_000)), nanos: Math.round((ms % 1_000) * 1e6) };
}

/** An authenticated caller is the author, whatever the request says; a hub names its own authenticated caller. */
function nameOf({ kind, entity }: Principal, says: string): string {
  return kind === 'hub' && says !== '' ? says : entity;
}

/** The key that the author authenticated with: here, or at the hub that forwards the call. */
function keyIdOf({ kind, entity }: Principal, says: string | undefined): string | undefined {
  if (kind === 'api-key') return entity;
  return kind === 'hub' ? says : undefined;
}

/** Secrets are shown only to callers who may change them, because some secrets give the owner's rights. */
function textFor({ role }: Principal, text: string): string {
  return role === undefined || roleAllows(role, 'config.write') ? text : maskSecrets(text);
}

function watched(state: ConfigState, principal: Principal): WatchResponse {
  const response = toWatchResponse(state);
  const { text, result } = response;
  const returnedText = textFor(principal, result?.returnedText ?? '');
  return { ...response, text: textFor(principal, text), result: result && { ...result, returnedText } };
}

/** Earlier texts of this machine, stored by its hub. */
export interface PartHistory {
  history(request: HistoryRequest): Promise<HistoryResponse>;
  getVersion(request: GetVersionRequest): Promise<GetVersionResponse>;
  annotate(request: AnnotateRequest): Promise<AnnotateResponse>;
}

/**
 * core.config.v1.ConfigService of a machine, wherever its text is stored.
 * @param past undefined if no hub stores earlier texts: calls that need them are then unimplemented
 */
export function configService(
  configuration: Configuration,
  past?: PartHistory,
): ServiceHandlers<typeof ConfigServiceDefinition> {
  const apply = async (
    request: Pick<ApplyRequest, 'baseRevision' | 'author' | 'note' | 'returnAfter' | 'authorKeyId'>,
    text: string,
    restoredFrom: number,
    { principal }: ServerCall,
  ): Promise<ApplyResponse> => {
    const author = nameOf(principal, request.author);
    const { baseRevision, note } = request;
    const authorKeyId = keyIdOf(principal, request.authorKeyId);
    const terms = { text, baseRevision, author, authorKeyId, note, restoredFrom };
    return toApplyResponse(await configuration.apply({ ...terms, returnAfterMs: returnAfterMs(request.returnAfter) }));
  };

  return {
    ...(past === undefined
      ? {}
      : {
          history: (request: HistoryRequest) => past.history(request),
          async getVersion(request: GetVersionRequest, { principal }: ServerCall) {
            const found = await past.getVersion(request);
            return { ...found, text: textFor(principal, found.text) };
          },
          annotate: (request: AnnotateRequest) => past.annotate(request),
          async restore(request: RestoreRequest, call: ServerCall) {
            const { partId, number } = request;
            const { text } = await past.getVersion({ partId, number });
            return { result: await apply(request, text, Number(number), call) };
          },
        }),

    get(_request, { principal }) {
      const { text, revision, source, path, appliedRevision, isReadOnly } = configuration.state;
      const seen = textFor(principal, text);
      return { text: seen, revision, source: sources[source], path, appliedRevision, readOnly: isReadOnly };
    },

    validate: async (request) => ({ problems: toWireProblems(await configuration.validate(request.text)) }),

    async plan(request) {
      const { plan, problems } = await configuration.plan(request.text);
      if (plan !== undefined) return { plan: toWirePlan(plan, problems) };
      const nothing = { changes: [], restartedModules: [], summary: 'nothing: the text cannot be applied' };
      return { plan: { ...nothing, problems: toWireProblems(problems) } };
    },

    apply: (request, call) => apply(request, request.text, 0, call),

    async endTrial(request) {
      return { revision: await configuration.endTrial(request.revision, request.keep) };
    },

    async applyNow({ revision, author }, { principal }) {
      return { revision: await configuration.applyNow(revision, nameOf(principal, author)) };
    },

    async *watch(_request, call): AsyncGenerator<WatchResponse> {
      // Each message is the whole state, so a slow reader needs only the latest.
      const wake = new AsyncQueue<undefined>();
      const unsubscribe = configuration.subscribe(() => {
        if (wake.size === 0) wake.push(undefined);
      });
      const forgetAbort = onAbort(call.signal, () => wake.end());
      try {
        yield watched(configuration.state, call.principal);
        for await (const _changed of wake) yield watched(configuration.state, call.principal);
      } finally {
        unsubscribe();
        forgetAbort();
      }
    },
  };
}
