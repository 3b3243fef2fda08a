import type { MessageType } from './message.ts';

/** One method of a generated `...ServiceDefinition`. */
export interface MethodDefinition<Request = unknown, Response = unknown> {
  /** As in the path: `/<fullName of the service>/<name>`. */
  readonly name: string;
  readonly requestType: MessageType<Request>;
  readonly requestStream: boolean;
  readonly responseType: MessageType<Response>;
  readonly responseStream: boolean;
  readonly options: MethodOptions;
}

/** A generated `...ServiceDefinition`, whichever it is. */
export interface ServiceDefinition {
  readonly name: string;
  /** With its package: `core.component.motor.v1.MotorService`. */
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

/** Custom options arrive undecoded, by tag: field number and wire type as they are on the wire. */
interface MethodOptions {
  readonly _unknownFields?: { readonly [tag: number]: readonly Uint8Array[] };
}

/** Number of the extension core.common.v1.safety_heartbeat_monitored, a varint. */
export const SAFETY_HEARTBEAT_MONITORED = 84260;
const MONITORED_TAG = (SAFETY_HEARTBEAT_MONITORED << 3) | 0;

/** Whether a call of it makes its resource belong to the caller's session (contract 2.2). */
export function isSafetyMonitored(method: { readonly options: MethodOptions }): boolean {
  const value = method.options._unknownFields?.[MONITORED_TAG]?.at(-1);
  return value !== undefined && value.some((byte) => (byte & 0x7f) !== 0);
}
