import { onAbort } from '../../base/abort.ts';
import { AsyncQueue } from '../../base/async-queue.ts';
import { ArmatureError } from '../../base/errors.ts';
import {
  PlanChange_Kind,
  Problem_Severity,
  Result_Outcome,
  Source,
  type ApplyResponse,
  type ConfigServiceDefinition,
  type Plan as WirePlan,
  type PlanChange,
  type Problem as WireProblem,
  type Result,
  type Trial as WireTrial,
  type WatchResponse,
} from '../../../proto/gen/core/config/v1/config.ts';
import type { Duration } from '../../../proto/gen/google/protobuf/duration.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import type { Plan, ResourceChange } from '../config/plan.ts';
import { foremost } from '../config/problem-list.ts';
import type { ApplyOutcome, ConfigState, Outcome } from '../config-state.ts';
import type { Configuration } from '../configuration.ts';
import type { OpenTrial } from '../safe-apply.ts';

/** Problems in one message: a large file can have more than a client takes in one. */
const MOST_PROBLEMS_SENT = 1_000;
const LONGEST_TRIAL_MS = 600_000;

const outcomes: Readonly<Record<Outcome['kind'], Result_Outcome>> = {
  applying: Result_Outcome.APPLYING,
  applied: Result_Outcome.APPLIED,
  'applied-with-failures': Result_Outcome.APPLIED_WITH_FAILURES,
  rejected: Result_Outcome.REJECTED,
  returned: Result_Outcome.RETURNED,
};

const sources = { file: Source.FILE, none: Source.NONE } as const;

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
  };
}

/** All of a list of problems that one message can carry, and how many are left out. */
function toWireProblems(problems: readonly Problem[]): WireProblem[] {
  const sent = foremost(problems, MOST_PROBLEMS_SENT);
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

function toResult(outcome: Outcome, trial: OpenTrial | undefined): Result {
  return {
    outcome: outcomes[outcome.kind],
    revision: outcome.revision,
    message: outcome.message,
    time: new Date(outcome.at),
    trial: trial === undefined ? undefined : toWireTrial(trial),
    returnedText: outcome.returnedText ?? '',
    unready: [...(outcome.unready ?? [])],
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

/** Time of `return_after`, 0 where it is unset. Throws `call.bad_argument` where it is none that is allowed. */
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

/** core.config.v1.ConfigService for a machine whose source is a local file. */
export function configService(configuration: Configuration): ServiceHandlers<typeof ConfigServiceDefinition> {
  return {
    get() {
      const { text, revision, source, path, appliedRevision, isReadOnly } = configuration.state;
      return { text, revision, source: sources[source], path, appliedRevision, readOnly: isReadOnly };
    },

    validate: (request) => ({ problems: toWireProblems(configuration.validate(request.text)) }),

    plan(request) {
      const { plan, problems } = configuration.plan(request.text);
      if (plan !== undefined) return { plan: toWirePlan(plan, problems) };
      const nothing = { changes: [], restartedModules: [], summary: 'nothing: the text cannot be applied' };
      return { plan: { ...nothing, problems: toWireProblems(problems) } };
    },

    async apply(request, call) {
      const { kind, entity } = call.principal;
      // Only a key says who the caller is.
      const author = kind === 'api-key' || request.author === '' ? entity : request.author;
      const { text, baseRevision, note } = request;
      const terms = { text, baseRevision, author, note, returnAfterMs: returnAfterMs(request.returnAfter) };
      return toApplyResponse(await configuration.apply(terms));
    },

    async endTrial(request) {
      return { revision: await configuration.endTrial(request.revision, request.keep) };
    },

    async *watch(_request, call): AsyncGenerator<WatchResponse> {
      // Each message is the whole state, so a slow reader needs only the latest.
      const wake = new AsyncQueue<undefined>();
      const forget = configuration.subscribe(() => {
        if (wake.size === 0) wake.push(undefined);
      });
      const forgetAbort = onAbort(call.signal, () => wake.end());
      try {
        yield toWatchResponse(configuration.state);
        for await (const _changed of wake) yield toWatchResponse(configuration.state);
      } finally {
        forget();
        forgetAbort();
      }
    },
  };
}
