import path from 'node:path';
import { readJsonText, type JsonNode } from '../../../proto/config/text/json-text.ts';
import { readBoundedFileSync } from '../../base/files/bounded-file.ts';
import { expandVariables } from '../config/reading/expand-variables.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { parseServerAddress, type ServerAddress } from '../../base/server-address.ts';
import { LARGEST_CONFIG_BYTES } from '../config/reading/parse-config.ts';
import { isLoopbackHost } from '../../rpc/tracked-connection.ts';

/** How a part authenticates at its hub. */
export interface HubCredentials {
  readonly type: 'api-key' | 'robot-secret';
  /** Id of the key, or of the part. */
  readonly entity: string;
  readonly payload: string;
}

/** The `cloud` block of a configuration file: the part that this machine is, and its hub. */
export interface CloudSettings {
  readonly partId: string;
  readonly address: ServerAddress;
  readonly credentials: HubCredentials;
  /** Certificates in PEM of an authority to trust besides the system's; '' for none. */
  readonly authority: string;
  /** `network.bind_address` of the file: it overrides that of the hub's configuration. Undefined if absent. */
  readonly bindAddress: string | undefined;
}

/** Size limit: a bundle of certificates, such as that of an operating system, has about 200 kB. */
const LARGEST_AUTHORITY_BYTES = 4 * 1_024 * 1_024;
const KEYS = 'cloud: {"id", "api_key": {"id", "key"}, "app_address"}';

/**
 * Reads the `cloud` block of a file. A file that is unreadable or not JSON has none: reading it as a configuration
 * reports that.
 * @param allowsInsecureCreds `-allow-insecure-creds`
 * @param environment for `${VAR}` in the file
 * @throws {ArmatureError} `config.invalid` naming file and key, `config.unreadable` for the file of the authority
 */
export function readCloudSettings(
  file: string,
  allowsInsecureCreds: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): CloudSettings | undefined {
  let text: string;
  try {
    text = readBoundedFileSync(file, LARGEST_CONFIG_BYTES).toString('utf8');
  } catch {
    return undefined; // ConfigFile reports it.
  }
  const { root: written } = readJsonText(text);
  if (written?.properties?.has('cloud') !== true) return undefined;
  const { root, texts } = expandVariables(written, environment);
  const block = root.properties?.get('cloud');
  if (block === undefined) return undefined;
  const [unset] = texts.filter((one) => one.unset.length > 0 && /^\/(cloud|network)\//.test(one.pointer));
  if (unset !== undefined) {
    throw new ArmatureError(
      'config.invalid',
      `${file}: ${unset.unset[0]?.text} at ${unset.pointer} has no value: the environment of the server has no such variable.`,
      { details: { path: file, pointer: unset.pointer } },
    );
  }
  return new BlockReader(file, block).read(allowsInsecureCreds, textAt(root, 'network', 'bind_address'));
}

function textAt(node: JsonNode, ...keys: readonly string[]): string | undefined {
  let found: JsonNode | undefined = node;
  for (const key of keys) found = found?.properties?.get(key);
  return typeof found?.value === 'string' && found.value !== '' ? found.value : undefined;
}

class BlockReader {
  readonly #file: string;
  readonly #block: JsonNode;

  constructor(file: string, block: JsonNode) {
    this.#file = file;
    this.#block = block;
  }

  read(allowsInsecureCreds: boolean, bindAddress: string | undefined): CloudSettings {
    const partId = this.#text('id');
    return {
      partId,
      address: this.#address(allowsInsecureCreds),
      credentials: this.#credentials(partId),
      authority: this.#authority(),
      bindAddress,
    };
  }

  #address(allowsInsecureCreds: boolean): ServerAddress {
    const text = this.#text('app_address');
    const address = parseServerAddress(text);
    if (address === undefined) {
      throw this.#invalid('app_address', `is ${JSON.stringify(text)}; write https://HOST:PORT`);
    }
    const isHere = isLoopbackHost(address.host);
    if (!address.isEncrypted && !isHere && !allowsInsecureCreds) {
      throw this.#invalid(
        'app_address',
        `is ${text}, and credentials in clear text to another computer are refused: use https://, or start with -allow-insecure-creds`,
      );
    }
    return address;
  }

  #credentials(partId: string): HubCredentials {
    const key = this.#block.properties?.get('api_key');
    if (key !== undefined) {
      const entity = textAt(key, 'id');
      const payload = textAt(key, 'key');
      // Never shows the value: half of it may be the secret.
      if (entity === undefined || payload === undefined) {
        throw this.#invalid('api_key', 'needs both "id" and "key", each a text that is not empty');
      }
      return { type: 'api-key', entity, payload };
    }
    const secret = textAt(this.#block, 'secret');
    if (secret === undefined) throw this.#invalid('api_key', 'is missing, and so is "secret": one of them is needed');
    return { type: 'robot-secret', entity: partId, payload: secret };
  }

  #authority(): string {
    const given = textAt(this.#block, 'ca');
    if (given === undefined || given.includes('-----BEGIN CERTIFICATE-----')) return given ?? '';
    const file = path.resolve(path.dirname(this.#file), given);
    try {
      return readBoundedFileSync(file, LARGEST_AUTHORITY_BYTES).toString('utf8');
    } catch (cause) {
      throw new ArmatureError(
        'config.unreadable',
        `${this.#file}: cloud.ca: ${toArmatureError(cause).message} Name the file that "armature hub ca" wrote, or give its text.`,
        { cause },
      );
    }
  }

  #text(key: string): string {
    const found = textAt(this.#block, key);
    if (found === undefined) throw this.#invalid(key, 'is missing, or no text');
    return found;
  }

  #invalid(key: string, what: string): ArmatureError {
    return new ArmatureError('config.invalid', `${this.#file}: cloud.${key} ${what}. The block is ${KEYS}.`, {
      details: { path: this.#file, pointer: `/cloud/${key}` },
    });
  }
}
