import type { CallOptions, Extra, JsonObject, Resource } from './resource.ts';
import { ArmatureError } from '../base/errors.ts';
import type { ServerCall } from '../rpc/call.ts';

/** Something asked of a resource that it, or its argument, does not allow. Names the resource, what was found and what is allowed. */
export function badArgument(resource: Resource, argument: string, found: unknown, allowed: string): ArmatureError {
  return new ArmatureError(
    'call.bad_argument',
    `"${resource.name}": ${argument} is ${describe(found)}; allowed is ${allowed}.`,
    { details: { resource: resource.name, argument, found: describe(found), allowed } },
  );
}

/** A method the model of a resource does not have. */
export function unimplemented(resource: Resource, method: string): ArmatureError {
  return new ArmatureError('call.unimplemented', `"${resource.name}": its model does not support ${method}.`, {
    details: { resource: resource.name, method },
  });
}

/** The number, or a refusal where it is not a finite one. */
export function finite(resource: Resource, argument: string, value: number): number {
  if (!Number.isFinite(value)) throw badArgument(resource, argument, value, 'a finite number');
  return value;
}

/** The number, or a refusal where it is not within the bounds, both included. */
export function within(resource: Resource, argument: string, value: number, min: number, max: number): number {
  if (!(value >= min && value <= max)) throw badArgument(resource, argument, value, `${min} to ${max}`);
  return value;
}

/** The number, held to the bounds; a refusal where it is none. For what clients overshoot with, such as power. */
export function clamped(resource: Resource, argument: string, value: number, min: number, max: number): number {
  if (Number.isNaN(value)) throw badArgument(resource, argument, value, `${min} to ${max}`);
  return Math.min(max, Math.max(min, value));
}

/** The text, or a refusal where it is empty. */
export function nonEmpty(resource: Resource, argument: string, value: string): string {
  if (value === '') throw badArgument(resource, argument, value, 'a name that is not empty');
  return value;
}

/** A Struct off the wire as the JSON it is. */
export function jsonObject(struct: Readonly<Record<string, unknown>> | undefined): JsonObject {
  return (struct ?? {}) as JsonObject;
}

/** Field 99 of a request; undefined where the caller sent none. */
export function extraOf(request: { readonly extra?: Readonly<Record<string, unknown>> | undefined }): Extra {
  return request.extra as Extra;
}

/** What a method may need of its call. The signal is made when it is asked for: a call that nobody cancels pays for none. */
export function callOptions(
  request: { readonly extra?: Readonly<Record<string, unknown>> | undefined },
  call: Pick<ServerCall, 'signal'>,
): CallOptions {
  return {
    extra: extraOf(request),
    get signal() {
      return call.signal;
    },
  };
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}
