/** JSON-safe data, as in `google.protobuf.Struct`. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Free-form parameters a caller may pass with any call (`extra`, field 99). */
export type Extra = JsonObject | undefined;

/** What a method may need to know about the call it serves. */
export interface CallOptions {
  readonly extra?: Extra;
  /** Aborts when the caller ends: a motion that it started must then stop. */
  readonly signal?: AbortSignal;
}

/** Methods of every resource. `doCommand` of a model without it answers Unimplemented. */
export interface Resource {
  /** Short name, `left`. */
  readonly name: string;
  doCommand?(command: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /** A free summary of the resource's state, for GetStatus; a model without it answers an empty one. */
  status?(): Promise<JsonObject>;
  /** Releases what the resource holds; outputs go to their safe values. Must settle even if the hardware has failed. */
  close(): Promise<void>;
}

export interface StopOptions extends CallOptions {
  /**
   * A caller asked for the stop and is responsible for what the outputs do next: a motor may brake. Otherwise, as when
   * the caller that drove it has ended, the stop ends with outputs off.
   */
  readonly isCommanded?: boolean;
}

/** A resource that can move something. `stop` must be safe at any time and from any caller. */
export interface Actuator extends Resource {
  stop(options?: StopOptions): Promise<void>;
  isMoving(): Promise<boolean>;
}
