import { createSecureContext } from 'node:tls';
import type { Clock, Timer } from '../base/clock.ts';
import { readBoundedFile } from '../base/files/bounded-file.ts';
import { ArmatureError, toArmatureError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { NetworkConfig } from '../machine/config/machine-config.ts';
import type { BindAddress } from '../rpc/port/bind.ts';
import type { Certificate } from '../rpc/port/listener.ts';

/** `host:port`, `[::1]:port` or `:port` in its parts; the configuration's own check has passed it. */
export function parseBindAddress(text: string): BindAddress {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

/** A renewed certificate is shown after at most this. */
const CERTIFICATE_CHECK_MS = 60_000;
/** A chain of certificates, or a key, has a few kilobytes. */
const LARGEST_PEM_BYTES = 1_024 * 1_024;

/**
 * Reads the certificate's files again every minute and applies changes, so that a renewal
 * needs no restart. Files that cannot be read, or do not match yet, change nothing; that
 * is logged once.
 * @returns a function that ends it
 */
export function followCertificate(
  network: NetworkConfig,
  shown: Certificate,
  clock: Clock,
  logger: Logger,
  onChange: (certificate: Certificate) => void,
): Timer {
  let trouble = '';
  let current = shown;
  let isReading = false;
  const check = async (): Promise<void> => {
    try {
      const found = await readCertificate(network);
      trouble = '';
      if (found === undefined || (found.cert === current.cert && found.key === current.key)) return;
      current = found;
      onChange(found);
      logger.info(`The certificate ${network.tlsCertFile} has changed: new connections are shown the new one.`);
    } catch (thrown) {
      const { message } = toArmatureError(thrown);
      if (message !== trouble) logger.warn(`${message} The certificate from before is still shown.`);
      trouble = message;
    }
  };
  return clock.every(CERTIFICATE_CHECK_MS, () => {
    if (isReading) return;
    isReading = true;
    void check().finally(() => (isReading = false));
  });
}

/**
 * The certificate that `network` names, or undefined where it names none.
 * @throws {ArmatureError} `config.unreadable` or `config.invalid` naming the file
 */
export async function readCertificate(network: NetworkConfig): Promise<Certificate | undefined> {
  if (network.tlsCertFile === '') return undefined;
  const read = async (key: string, file: string): Promise<string> => {
    try {
      return (await readBoundedFile(file, LARGEST_PEM_BYTES)).toString('utf8');
    } catch (cause) {
      throw new ArmatureError(
        'config.unreadable',
        `network.${key}: ${toArmatureError(cause).message} Correct the path, or start with -no-tls.`,
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
