import { badFile } from './file-picture.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Parses JSON that has to be an object. @throws {ArmatureError} `call.bad_argument` */
export function parsedObject(place: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw badFile(place, `this is no JSON: ${(thrown as Error).message}.`);
  }
  return objectIn(place, value);
}

export function objectIn(place: string, value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw badFile(place, `found ${shown(value)} where an object is wanted.`);
}

/** A list in an object; empty if the key is missing. */
export function listIn(place: string, object: JsonObject, key: string): readonly unknown[] {
  const value = object[key] ?? [];
  if (Array.isArray(value)) return value;
  throw badFile(place, `"${key}" is ${shown(value)}; a list is wanted.`);
}

export function textIn(place: string, object: JsonObject, key: string): string {
  const value = object[key];
  if (typeof value === 'string' && value !== '') return value;
  throw badFile(place, `"${key}" is ${shown(value)}; a text is wanted.`);
}

export function numberIn(place: string, object: JsonObject, key: string): number {
  const value = object[key];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw badFile(place, `"${key}" is ${shown(value)}; a number is wanted.`);
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value) ?? typeof value).slice(0, 60);
}
