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
  /** As written, placeholders replaced; our own keys (`notes`, `disabled`) are separate fields. */
  readonly attributes: JsonObject;
  /** Names as written: short or full. */
  readonly dependsOn: readonly string[];
  readonly logLevel: LogLevel | undefined;
  readonly isDisabled: boolean;
  readonly notes: string;
  readonly serviceConfigs: readonly JsonObject[];
  /**
   * Pointers, relative to `attributes`, of values that contain text of the environment: never shown. Absent if there
   * are none.
   */
  readonly fromEnvironment?: readonly string[];
  /** Names of packages whose folders are in its attributes: it is built after they are installed. Absent if none. */
  readonly packages?: readonly string[];
  /** JSON pointer of the entry in its document. */
  readonly pointer: string;
  /** Problems of this entry. With an error, only this resource fails. */
  readonly problems: readonly Problem[];
}
