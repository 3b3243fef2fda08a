import { createHash } from 'node:crypto';

/**
 * The role of a key's holder for this machine: `unknown` is a role that the machine does not know, which may do
 * nothing.
 */
export type KeyRole = 'owner' | 'operator' | 'unknown';

/** An API key that is accepted: only its SHA-256 is kept. */
export interface AcceptedKey {
  readonly id: string;
  /** SHA-256 of the key's UTF-8 bytes, 32 bytes. */
  readonly sha256: Uint8Array;
  readonly role: KeyRole;
  /**
   * Created for the modules of this machine: they can use it. For everybody else it does not count as a key, so a
   * machine without other keys needs no proof on its computer.
   */
  readonly isOfModules?: boolean;
}

/** Everything that access depends on and that a configuration change may replace. */
export interface AccessPolicy {
  /** The configuration has `auth.handlers`: every caller needs a token, also one on this computer. */
  readonly authEnabled: boolean;
  readonly apiKeys: readonly AcceptedKey[];
  /** Secret of the person who started the program; part of the address that the program prints. */
  readonly launchToken: string;
  /** Name of this machine: issuer and audience of its tokens, and a host name of its page. */
  readonly fqdn: string;
  /** Further host names by which browsers may reach us, for example the computer's own name. */
  readonly hostnames: readonly string[];
  /** `network.allowed_origins`: `https://host[:port]`, compared as a whole. */
  readonly allowedOrigins: readonly string[];
  /** `-allow-insecure-creds`: credentials in clear text from other computers are accepted. */
  readonly allowInsecureCreds: boolean;
}

export function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** An accepted key from its text. A key under `auth.handlers` of the configuration is an owner's. */
export function keyFromText(id: string, key: string, role: KeyRole = 'owner'): AcceptedKey {
  return { id, sha256: sha256(key), role };
}

/**
 * An accepted key from the hash that a hub sends.
 * @throws RangeError when the text is not 64 hexadecimal digits
 */
export function keyFromHash(id: string, sha256Hex: string, role: KeyRole): AcceptedKey {
  if (!/^[0-9a-f]{64}$/i.test(sha256Hex)) {
    throw new RangeError(`the hash of API key "${id}" is not 64 hexadecimal digits`);
  }
  return { id, sha256: Buffer.from(sha256Hex, 'hex'), role };
}
