import type { CallOptions, Extra, JsonObject, Resource } from './resource.ts';
import { ArmatureError } from '../base/errors.ts';
import type { ServerCall } from '../rpc/call.ts';

/** Converts a value between its type in code and a field of a message. */
export interface Field<T, W = T> {
  /** @param resource the owner of the value */
  write(value: T, resource: Resource): W;
  /**
   * The received value, checked.
   * @param argument the field's name in the .proto file
   * @throws {ArmatureError} `call.bad_argument`
   */
  read(wire: W, resource: Resource, argument: string): T;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- which types meet is the business of whoever puts fields together
export type AnyField = Field<any, any>;

/** A value that is the same in code and on the wire. */
export const asIs: AnyField = { write: (value: unknown) => value, read: (wire: unknown) => wire };

/** A finite number. */
export const finite: Field<number> = {
  write: (value) => value,
  read: (wire, resource, argument) => {
    if (!Number.isFinite(wire)) throw badArgument(resource, argument, wire, 'a finite number');
    return wire;
  },
};

/** A number within the bounds, both included. */
export function within(min: number, max: number): Field<number> {
  return { write: (value) => value, read: (wire, ...where) => inside(...where, wire, min, max) };
}

/** A number, clamped to the bounds: for values that clients often exceed, such as power. */
export function clamped(min: number, max: number): Field<number> {
  return { write: (value) => value, read: (wire, ...where) => heldTo(...where, wire, min, max) };
}

/** A text that is not empty. */
export const nonEmpty: Field<string> = {
  write: (value) => value,
  read: (wire, resource, argument) => {
    if (wire === '') throw badArgument(resource, argument, wire, 'a name that is not empty');
    return wire;
  },
};

/**
 * One of a few words, each a number on the wire.
 * @param allowed for the error: `NORMAL (1) or OFFLINE_DEEP (2)`
 */
export function oneOf<W extends string>(numbers: Readonly<Record<W, number>>, allowed: string): Field<W, number> {
  const words = new Map(Object.entries<number>(numbers).map(([word, number]) => [number, word as W]));
  return {
    write: (word) => numbers[word],
    read: (wire, resource, argument) => {
      const word = words.get(wire);
      if (word === undefined) throw badArgument(resource, argument, wire, allowed);
      return word;
    },
  };
}

/** The same, or undefined if the message has none. */
export function optional<T, W>(field: Field<T, W>): Field<T | undefined, W | undefined> {
  return {
    write: (value, resource) => (value === undefined ? undefined : field.write(value, resource)),
    read: (wire, ...where) => (wire === undefined ? undefined : field.read(wire, ...where)),
  };
}

/** An error about an argument. Names the resource, what was found and what is allowed. */
export function badArgument(resource: Resource, argument: string, found: unknown, allowed: string): ArmatureError {
  return new ArmatureError(
    'call.bad_argument',
    `"${resource.name}": ${argument} is ${describe(found)}; allowed is ${allowed}.`,
    { details: { resource: resource.name, argument, found: describe(found), allowed } },
  );
}

/** A method that the model of a resource does not have. */
export function unimplemented(resource: Resource, method: string): ArmatureError {
  return new ArmatureError('call.unimplemented', `"${resource.name}": its model does not support ${method}.`, {
    details: { resource: resource.name, method },
  });
}

/** The number. Throws where it is not within the bounds, both included. */
export function inside(resource: Resource, argument: string, value: number, min: number, max: number): number {
  if (!(value >= min && value <= max)) throw badArgument(resource, argument, value, `${min} to ${max}`);
  return value;
}

/** The number, clamped to the bounds. Throws where it is not a number. */
export function heldTo(resource: Resource, argument: string, value: number, min: number, max: number): number {
  if (Number.isNaN(value)) throw badArgument(resource, argument, value, `${min} to ${max}`);
  return Math.min(max, Math.max(min, value));
}

/** A received Struct as JSON. */
export function jsonObject(struct: Readonly<Record<string, unknown>> | undefined): JsonObject {
  return (struct ?? {}) as JsonObject;
}

/** Field 99 of a request; undefined if the caller sent none. */
export function extraOf(request: { readonly extra?: Readonly<Record<string, unknown>> | undefined }): Extra {
  return request.extra as Extra;
}

/** A field as named in its .proto file: `power_pct` for `powerPct`. */
export function protoName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What a method may need from its call. The signal is created on first use, because most calls are never cancelled. */
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
