import type { CallOptions, JsonObject, Resource } from './resource.ts';

export interface Sensor extends Resource {
  /** Readings by name. `null` or `undefined` reach the caller as an error (wire contract 4.1). */
  readings(options?: CallOptions): Promise<JsonObject | null | undefined>;
}
