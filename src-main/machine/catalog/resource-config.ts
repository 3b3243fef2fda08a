import type { JsonObject } from '../../apis/resource.ts';
import type { LogLevel } from '../../base/logger.ts';
import type { Problem } from '../../../proto/config/problem.ts';

/** An entry of `components` or `services`, in our spelling, placeholders replaced. */
export interface ResourceConfig {
  /** `core:component:motor/left`. */
  readonly fullName: string;
  readonly name: string;
  readonly api: string;
  readonly model: string;
  /** As written, placeholders replaced; keys of ours (`notes`, `disabled`) are beside it, not in it. */
  readonly attributes: JsonObject;
  /** Names as written: short or full. */
  readonly dependsOn: readonly string[];
  readonly logLevel: LogLevel | undefined;
  readonly isDisabled: boolean;
  readonly notes: string;
  readonly serviceConfigs: readonly JsonObject[];
  /** Pointers, relative to `attributes`, of values with text of the environment in them: never shown. Absent where there are none. */
  readonly fromEnvironment?: readonly string[];
  /** Names of packages whose folders are in its attributes: it is built once they are installed. Absent if none. */
  readonly packages?: readonly string[];
  /** JSON pointer of the entry in its document. */
  readonly pointer: string;
  /** Problems of this entry. With an error, only this resource fails. */
  readonly problems: readonly Problem[];
}
