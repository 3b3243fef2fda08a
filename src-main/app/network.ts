import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ArmatureError, toArmatureError } from '../base/errors.ts';
import type { NetworkConfig } from '../machine/config/machine-config.ts';
import type { BindAddress } from '../rpc/bind.ts';
import type { Certificate } from '../rpc/listener.ts';

/** `host:port`, `[::1]:port` or `:port` in its parts; the configuration's own check has passed it. */
export function parseBindAddress(text: string): BindAddress {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

/**
 * The certificate that `network` names, or undefined where it names none.
 * @throws {ArmatureError} `config.unreadable` or `config.invalid` naming the file
 */
export async function readCertificate(network: NetworkConfig): Promise<Certificate | undefined> {
  if (network.tlsCertFile === '') return undefined;
  const read = async (key: string, file: string): Promise<string> => {
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      throw new ArmatureError(
        'config.unreadable',
        `network.${key}: ${file} cannot be read (${toArmatureError(cause).message}). Correct the path, or start with -no-tls.`,
        { cause },
      );
    }
  };
  const certificate = {
    cert: await read('tls_cert_file', network.tlsCertFile),
    key: await read('tls_key_file', network.tlsKeyFile),
  };
  try {
    createSecureContext(certificate);
  } catch (cause) {
    throw new ArmatureError(
      'config.invalid',
      `network.tls_cert_file ${network.tlsCertFile} and tls_key_file ${network.tlsKeyFile} are no certificate with its key in PEM (${toArmatureError(cause).message}). Correct them, or start with -no-tls.`,
      { cause },
    );
  }
  return certificate;
}
