import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject, type JsonObject } from '../text/text-entries.ts';
import { fitsSchema } from '../schema/fits-schema.ts';
import { captureEntries } from './captured-methods.ts';
import { captureMethodSchema, type CaptureMethodConfig } from './capture-schema.ts';

/** How long a hub keeps what one method of a resource captured. */
export interface CaptureRetention {
  /** Of the resource, in our spelling. */
  readonly api: string;
  readonly name: string;
  readonly method: string;
  readonly parameters: JsonObject;
  /** Absent: as long as the organization says. */
  readonly days?: number;
  /** Of readings, bytes; absent: any number. */
  readonly readingBytes?: number;
  /** Of pictures and other binary data, bytes; absent: any number. */
  readonly binaryBytes?: number;
}

const GB = 1_000_000_000;

/**
 * How long captured data is kept, by a configuration. A policy that does not fit its schema keeps everything, so that a
 * mistake deletes nothing.
 */
export function captureRetentions(document: JsonValue): readonly CaptureRetention[] {
  return captureEntries(document).flatMap(({ api, name, entries }) =>
    entries.flatMap(({ method, additional_params: parameters = {}, retention_policy: policy }): CaptureRetention[] => {
      if (typeof method !== 'string' || !isJsonObject(parameters) || !isPolicy(policy)) return [];
      const { days, tabular_limit_gb: readings, binary_limit_gb: binary } = policy;
      return [
        {
          ...{ api, name, method, parameters },
          ...(days === undefined ? {} : { days }),
          ...(readings === undefined ? {} : { readingBytes: readings * GB }),
          ...(binary === undefined ? {} : { binaryBytes: binary * GB }),
        },
      ];
    }),
  );
}

type Policy = NonNullable<CaptureMethodConfig['retention_policy']>;

function isPolicy(value: JsonValue | undefined): value is JsonValue & Policy {
  return value !== undefined && fitsSchema(captureMethodSchema.properties.retention_policy, value);
}
