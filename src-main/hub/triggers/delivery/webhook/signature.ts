import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret of a webhook, as receivers are given it (Standard Webhooks, "Symmetric"). */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

export interface SignedMessage {
  /** The same for each try of a delivery. */
  readonly id: string;
  /** Of this try, seconds since 1970. */
  readonly timestamp: number;
  /** '' for a request without one. */
  readonly body: string;
}

/**
 * Headers by which a receiver knows that a request is ours, and recent (Standard Webhooks 1.0).
 * @param secrets each signs: while a secret is replaced there are two
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
