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
  /** Undefined where it cannot be read. */
  readonly schedule: Schedule | undefined;
  /** Short or full name of the resource that is called. */
  readonly resource: string;
  /** Name of the method in the API of the resource: `GetReadings`. */
  readonly method: string;
  /** For DoCommand; other methods are given the name of the resource alone. */
  readonly command: JsonObject;
  readonly logLevel: LogLevel | undefined;
  readonly isDisabled: boolean;
  readonly pointer: string;
  readonly problems: readonly Problem[];
}

/** Whether it is carried out: nothing in it is wrong, and it is not disabled. */
export function isRunnable({ isDisabled, problems }: JobConfig): boolean {
  return !isDisabled && !problems.some(({ severity }) => severity === 'error');
}

/** Whether two entries make the same call, at whatever times. */
export function isSameCall(one: JobConfig, other: JobConfig): boolean {
  return (
    one.resource === other.resource && one.method === other.method && isDeepStrictEqual(one.command, other.command)
  );
}

/** Whether two entries say the same: where they stand in their document does not count. */
export function isSameJob(one: JobConfig, other: JobConfig): boolean {
  return (
    isSameCall(one, other) &&
    one.scheduleText === other.scheduleText &&
    one.logLevel === other.logLevel &&
    isRunnable(one) === isRunnable(other)
  );
}
