import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new webhook secret in the format for receivers (Standard Webhooks, "Symmetric"). */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

export interface SignedMessage {
  /** The same for each attempt of a delivery. */
  readonly id: string;
  /** Time of this attempt, seconds since 1970. */
  readonly timestamp: number;
  /** '' for a request without a body. */
  readonly body: string;
}

/**
 * Headers by which a receiver checks origin and age of a request (Standard Webhooks 1.0).
 * @param secrets each makes a signature; there are two while a secret is being replaced
 */
export function signatureHeaders(message: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const { id, timestamp } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signature(message, secret)).join(' '),
  };
}

function signature({ id, timestamp, body }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
