/**
 * Grammars of names. Files may say `rdk:` or `core:`; everything here answers in our own spelling,
 * `core:`.
 */

/** Resource names: 1 to 60 characters; `:` is for remotes and `+` for media tracks. */
export const RESOURCE_NAME = /^[a-zA-Z0-9][-\w]{0,59}$/;
/** Module and package names: the same alphabet, up to 200 characters; `parent` is reserved. */
export const MODULE_NAME = /^[a-zA-Z0-9][-\w]{0,199}$/;

const TRIPLET = /^([\w-]+):([\w-]+):([\w-]+)$/;

export interface Triplet {
  readonly namespace: string;
  readonly family: string;
  readonly name: string;
}

/** `a:b:c` in its parts, or undefined where it is not a triplet. */
export function parseTriplet(text: string): Triplet | undefined {
  const match = TRIPLET.exec(text);
  if (match === null) return undefined;
  const [, namespace = '', family = '', name = ''] = match;
  return { namespace: namespace === 'rdk' ? 'core' : namespace, family, name };
}

export function formatTriplet(triplet: Triplet): string {
  return `${triplet.namespace}:${triplet.family}:${triplet.name}`;
}

/** An API (`core:component:motor`) in our spelling, or undefined where the text is not one. */
export function canonicalApi(text: string): string | undefined {
  const triplet = parseTriplet(text);
  if (triplet === undefined) return undefined;
  if (triplet.family !== 'component' && triplet.family !== 'service') return undefined;
  return formatTriplet(triplet);
}

/** A model in our spelling; one word `gpio` is `core:builtin:gpio`. Undefined where it is neither. */
export function canonicalModel(text: string): string | undefined {
  if (/^[\w-]+$/.test(text)) return `core:builtin:${text}`;
  const triplet = parseTriplet(text);
  return triplet === undefined ? undefined : formatTriplet(triplet);
}

/** Full resource name, `core:component:motor/left`. */
export function fullName(api: string, name: string): string {
  return `${api}/${name}`;
}

export interface FullName {
  readonly api: string;
  readonly name: string;
}

/** A full resource name in its parts, or undefined where the text is a short name or malformed. */
export function parseFullName(text: string): FullName | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const api = canonicalApi(text.slice(0, slash));
  const name = text.slice(slash + 1);
  return api === undefined || name === '' ? undefined : { api, name };
}

/** The name at the end of a full name; any other text as it is. */
export function shortNameOf(text: string): string {
  return parseFullName(text)?.name ?? text;
}
