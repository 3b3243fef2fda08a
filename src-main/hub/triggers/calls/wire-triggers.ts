import { Problem_Severity, type Problem } from '../../../../proto/gen/core/config/v1/config.ts';
import {
  Delivery_State,
  MailServer_Security,
  TriggerEvaluation_Outcome,
  type ConditionResult as ConditionResultMessage,
  type Delivery as DeliveryMessage,
  type MailServer,
  type ReceivedResponse,
  type SentRequest,
  type TriggerEvaluation,
  type TriggerState,
} from '../../../../proto/gen/core/hub/v1/trigger.ts';
import type { ConditionResult } from '../../../../proto/config/triggers/conditions.ts';
import type { TriggerEntry, TriggerProblem } from '../../../../proto/config/triggers/trigger.ts';
import type { Delivery } from '../delivery/deliveries.ts';
import type { SmtpSecurity, SmtpSettings } from '../delivery/notification-settings.ts';
import type { StoredRequest, StoredResponse } from '../delivery/stored-request.ts';
import type { TriggerLimitsTable } from '../tables.ts';
import { targetKey } from '../target-key.ts';
import { noRecord, type KeptEvaluation, type TriggerRecord } from '../trigger-records.ts';

export const deliveryStates = {
  queued: Delivery_State.QUEUED,
  delivered: Delivery_State.DELIVERED,
  dead: Delivery_State.DEAD,
} as const;

const outcomes = {
  fired: TriggerEvaluation_Outcome.FIRED,
  'not-fired': TriggerEvaluation_Outcome.NOT_FIRED,
  dropped: TriggerEvaluation_Outcome.DROPPED,
} as const;

export const securities: Readonly<Record<SmtpSecurity, MailServer_Security>> = {
  starttls: MailServer_Security.STARTTLS,
  tls: MailServer_Security.TLS,
  none: MailServer_Security.NONE,
};

/**
 * A trigger with its history.
 * @param limits all limits of its part
 * @param aheadMs how far the time of limits is ahead of the wall clock
 */
export function triggerMessage(
  { name, isDisabled, trigger, problems }: TriggerEntry,
  record: TriggerRecord = noRecord,
  limits: readonly TriggerLimitsTable[],
  aheadMs: number,
): TriggerState {
  const targets = (trigger?.notifications ?? []).map((notification) => {
    const key = targetKey(notification);
    const limit = limits.find((row) => row.trigger_name === name && row.target_key === key);
    return {
      type: notification.type,
      value: notification.value,
      secondsBetweenNotifications: notification.secondsBetween,
      queued: BigInt(limit?.queued ?? 0),
      dropped: BigInt(limit?.dropped ?? 0),
      droppedSince: BigInt(limit?.dropped_since ?? 0),
      last: limit === undefined || limit.queued === 0 ? undefined : new Date(limit.last_at - aheadMs),
    };
  });
  return {
    name,
    disabled: isDisabled,
    usable: trigger !== undefined,
    eventType: trigger?.event.type ?? '',
    problems: problems.map(problemMessage),
    targets,
    evaluated: BigInt(record.evaluated),
    fired: BigInt(record.fired),
    evaluations: record.evaluations.map(evaluationMessage),
  };
}

function evaluationMessage({ time, outcome, reason, results, reading }: KeptEvaluation): TriggerEvaluation {
  return {
    time: new Date(time),
    outcome: outcomes[outcome],
    reason,
    conditions: results.map(conditionMessage),
    reading,
  };
}

export function conditionMessage(result: ConditionResult): ConditionResultMessage {
  const { path, operator, expected, found, holds, reason } = result;
  return {
    path: [...path],
    operator,
    expected: JSON.stringify(expected),
    found: found === undefined ? '' : JSON.stringify(found),
    holds,
    reason,
  };
}

export function problemMessage({
  pointer,
  severity,
  code,
  message,
  allowed = [],
  nearest = '',
  missing = '',
}: TriggerProblem): Problem {
  const weight = severity === 'error' ? Problem_Severity.ERROR : Problem_Severity.WARNING;
  const place = { file: '', line: 0, column: 0, pointer };
  return { ...place, severity: weight, code, message, found: '', allowed: [...allowed], nearest, missing };
}

/** @param aheadMs how far the time of retries is ahead of the wall clock */
export function deliveryMessage(row: Delivery, aheadMs: number): DeliveryMessage {
  const time = (at: number | null): Date | undefined => (at === null ? undefined : new Date(at));
  return {
    id: row.id,
    partId: row.part_id,
    trigger: row.trigger_name,
    eventType: row.event_type,
    type: row.kind,
    target: row.target,
    state: deliveryStates[row.state],
    late: row.is_late === 1,
    test: row.is_test === 1,
    happened: time(row.happened_at),
    created: time(row.created_at),
    finished: time(row.finished_at),
    nextTry: time(row.next_at === null ? null : row.next_at - aheadMs),
    attempts: row.attempts,
    failure: row.failure,
    responseStatus: responseOf(row)?.status ?? 0,
  };
}

export function responseOf({ response }: Delivery): ReceivedResponse | undefined {
  if (response === '') return undefined;
  const { status, headers, body, isCut } = JSON.parse(response) as StoredResponse;
  return { status, headers, body, cut: isCut };
}

export function requestMessage(request: StoredRequest): SentRequest {
  if (request.kind === 'email') {
    const { to, subject, text, html } = request;
    return { request: { $case: 'mail', value: { to, subject, text, html } } };
  }
  const { method, url, headers, body } = request;
  return { request: { $case: 'webhook', value: { method, url, headers, body } } };
}

export function mailServerMessage({ security, ...smtp }: SmtpSettings): MailServer {
  return { ...smtp, security: securities[security] };
}

export function smtpSettings({ host, port, security, user, sender, authority }: MailServer): SmtpSettings {
  const known = (['tls', 'none'] as const).find((one) => securities[one] === security);
  return { host, port, security: known ?? 'starttls', user, sender, authority };
}
