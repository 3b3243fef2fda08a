import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../../proto/config/problem.ts';
import type { JsonObject } from '../../apis/resource.ts';
import type { LogLevel } from '../../base/logger.ts';
import type { Schedule } from './schedule.ts';

/** An entry of `jobs`: a call that the machine makes by itself. */
export interface JobConfig {
  readonly name: string;
  /** As written. */
  readonly scheduleText: string;
  /** Undefined if it is invalid. */
  readonly schedule: Schedule | undefined;
  /** Short or full name of the resource that is called. */
  readonly resource: string;
  /** Name of the method in the API of the resource: `GetReadings`. */
  readonly method: string;
  /** For DoCommand; other methods get only the name of the resource. */
  readonly command: JsonObject;
  readonly logLevel: LogLevel | undefined;
  readonly isDisabled: boolean;
  readonly pointer: string;
  readonly problems: readonly Problem[];
}

/** Whether it runs: it has no errors, and is not disabled. */
export function isRunnable({ isDisabled, problems }: JobConfig): boolean {
  return !isDisabled && !problems.some(({ severity }) => severity === 'error');
}

/** Whether two entries make the same call, whatever their schedules. */
export function isSameCall(one: JobConfig, other: JobConfig): boolean {
  return (
    one.resource === other.resource && one.method === other.method && isDeepStrictEqual(one.command, other.command)
  );
}

/** Whether two entries are equal, ignoring their places in the document. */
export function isSameJob(one: JobConfig, other: JobConfig): boolean {
  return (
    isSameCall(one, other) &&
    one.scheduleText === other.scheduleText &&
    one.logLevel === other.logLevel &&
    isRunnable(one) === isRunnable(other)
  );
}
