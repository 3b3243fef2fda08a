import { ArmatureError } from '../../base/errors.ts';
import { logLevels, type LogLevel } from '../../base/logger.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { ModuleState, ModuleUpdate } from './module-status.ts';
import type { ModuleAbsence } from './run/running-module.ts';

/** A level filters at once, but what a module does not send cannot be shown. '' where it sends enough. */
export function restartHint(startedWith: LogLevel | undefined, wanted: LogLevel | undefined): string {
  const from = startedWith ?? 'info';
  const to = wanted ?? 'info';
  if (logLevels.indexOf(to) >= logLevels.indexOf(from)) return '';
  return `it was started with log level ${from}; restart it to have it send ${to}`;
}

/** A failure that no start has brought about. */
export function failedState(reason: string): ModuleState {
  return { kind: 'failed', reason: withoutFullStop(reason), attempts: 0, nextRetryAt: undefined };
}

/** The state of a module that may not be started; undefined where it may be. @param refusal why none may, or '' */
export function blockedState(config: ModuleConfig, refusal: string): ModuleState | undefined {
  if (config.isDisabled) return { kind: 'disabled', reason: '' };
  const error = config.problems.find(({ severity }) => severity === 'error');
  if (error !== undefined) return failedState(`cannot be started: ${error.message}`);
  return refusal === '' ? undefined : failedState(refusal);
}

/** Why a module in this state serves nothing. */
export function absenceOf(name: string, { kind, reason }: ModuleState): ModuleAbsence {
  const because = reason === '' ? '' : ` (${reason})`;
  switch (kind) {
    case 'failed':
      return { name, kind: 'failed', reason: `module ${name} ${reason}` };
    case 'disabled':
      return { name, kind: 'disabled', reason: `module ${name} is disabled` };
    default:
      return { name, kind: 'starting', reason: `module ${name} is ${kind}${because}` };
  }
}

/** Why a module without files is not started. */
export function pendingReason(update: ModuleUpdate | undefined): string {
  if (update === undefined) return 'its files are looked for';
  return update.reason === '' ? `version ${update.version}: ${update.step}` : update.reason;
}

/** The refusal to start a module in this state. */
export function refusedStart(name: string, { kind, reason }: ModuleState): ArmatureError {
  if (kind === 'disabled') {
    return new ArmatureError(
      'module.disabled',
      `Module ${name} is disabled: take "disabled" out of its configuration.`,
    );
  }
  return new ArmatureError('module.failed', `Module ${name} ${reason}.`);
}

export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
