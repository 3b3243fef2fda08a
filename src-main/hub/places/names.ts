import { RESOURCE_NAME } from '../../../proto/config/names.ts';
import { ArmatureError } from '../../base/errors.ts';

const MAX_TITLE_LENGTH = 100;
const MAX_METADATA_BYTES = 64 * 1024;
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f\u2028\u2029]/;
/** A namespace begins module ids, so it may only have characters that all registries allow. */
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
/** Namespaces of built-in models. */
const RESERVED_NAMESPACES: ReadonlySet<string> = new Set(['core', 'rdk', 'viam', 'builtin', 'armature', 'local']);

function refuse(what: string, found: string, allowed: string): never {
  throw new ArmatureError('call.bad_argument', `${what} "${found.slice(0, 120)}" is not allowed: ${allowed}.`, {
    details: { found: found.slice(0, 120), allowed },
  });
}

/**
 * Checks the display name of an organization, location or key.
 * @returns the trimmed name
 * @throws {ArmatureError} `call.bad_argument`
 */
export function checkTitle(what: string, name: string): string {
  const title = name.trim();
  const allowed = `it has 1 to ${MAX_TITLE_LENGTH} characters and no line breaks`;
  if (title === '' || title.length > MAX_TITLE_LENGTH || CONTROL_CHARACTERS.test(title)) refuse(what, name, allowed);
  return title;
}

/**
 * Checks the name of a machine or part, which is used in addresses.
 * @throws {ArmatureError} `call.bad_argument`
 */
export function checkMachineName(what: string, name: string): string {
  const allowed = 'it has 1 to 60 letters, digits, "-" and "_", and begins with a letter or digit';
  if (!RESOURCE_NAME.test(name)) refuse(what, name, allowed);
  return name;
}

/** @throws {ArmatureError} `call.bad_argument` */
export function checkNamespace(namespace: string): string {
  if (!NAMESPACE.test(namespace)) {
    const allowed = 'it has 1 to 40 small letters, digits and "-", with "-" neither first nor last';
    refuse('the public namespace', namespace, allowed);
  }
  if (RESERVED_NAMESPACES.has(namespace)) refuse('the public namespace', namespace, 'it stands for built-in models');
  return namespace;
}

/** The name of a machine or part as a DNS label of 1 to 60 characters. Two names may have the same label. */
export function dnsLabelOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-').replace(/-+$/, '');
}

/**
 * The metadata of an organization, location, machine or part, as JSON text.
 * @throws {ArmatureError} `call.too_large`
 */
export function metadataText(data: Readonly<Record<string, unknown>> | undefined): string {
  const text = JSON.stringify(data ?? {});
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_METADATA_BYTES) return text;
  throw new ArmatureError(
    'call.too_large',
    `The metadata has ${bytes} bytes as JSON; at most ${MAX_METADATA_BYTES} are kept.`,
  );
}
