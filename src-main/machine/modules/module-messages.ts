import { ArmatureError } from '../../base/errors.ts';
import { logLevels, type LogLevel } from '../../base/logger.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { ModuleState, ModuleUpdate } from './module-status.ts';
import type { ModuleAbsence } from './run/running-module.ts';

/**
 * What to restart for a lower log level: filtering works at once, but what a module does not send cannot be shown. ''
 * if it already sends enough.
 */
export function restartHint(startedWith: LogLevel | undefined, wanted: LogLevel | undefined): string {
  const from = startedWith ?? 'info';
  const to = wanted ?? 'info';
  if (logLevels.indexOf(to) >= logLevels.indexOf(from)) return '';
  return `it was started with log level ${from}; restart it to have it send ${to}`;
}

/** A failure that happened before any start. */
export function failedState(reason: string): ModuleState {
  return { kind: 'failed', reason: withoutFullStop(reason), attempts: 0, nextRetryAt: undefined };
}

/**
 * The state of a module that must not be started; undefined if it may be. @param refusal why no module may be started,
 * or ''
 */
export function blockedState(config: ModuleConfig, refusal: string): ModuleState | undefined {
  if (config.isDisabled) return { kind: 'disabled', reason: '' };
  const error = config.problems.find(({ severity }) => severity === 'error');
  if (error !== undefined) return failedState(`cannot be started: ${error.message}`);
  return refusal === '' ? undefined : failedState(refusal);
}

/** Why a module in this state serves no models. */
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

/** Why a module without files has not been started. */
export function pendingReason(update: ModuleUpdate | undefined): string {
  if (update === undefined) return 'its files are looked for';
  return update.reason === '' ? `version ${update.version}: ${update.step}` : update.reason;
}

/** The error for a module in this state that cannot be started. */
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
