import type { Clock } from '../../../../base/clock.ts';
import { ArmatureError, codeOf, toArmatureError } from '../../../../base/errors.ts';
import { parseRetryAfter } from '../retry-schedule.ts';
import type { SendResult } from '../send-result.ts';
import { signatureHeaders } from './signature.ts';
import type { StoredResponse, WebhookRequest } from '../stored-request.ts';
import type { HttpRequest, WebhookClient } from './webhook-client.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

/** Time limit for an answer, redirects included. */
export const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 3;
const USER_AGENT = 'armature';

export interface WebhookSenderOptions {
  readonly client: WebhookClient;
  readonly secrets: WebhookSecrets;
  readonly clock: Clock;
}

export interface SendAs {
  /** `webhook-id`. */
  readonly id: string;
  readonly partId: string;
  readonly targetKey: string;
  readonly signal: AbortSignal;
}

/** Sends webhook requests: signed, with a time limit, and only to allowed addresses. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /** Makes one attempt. Rejects with the reason of the signal, or if the store cannot be read. */
  async send(request: WebhookRequest, { id, partId, targetKey, signal }: SendAs): Promise<SendResult> {
    const { clock, secrets } = this.#options;
    const timestamp = Math.floor(clock.now() / 1_000);
    const signing = await secrets.signing(partId, targetKey);
    const headers = {
      ...request.headers,
      ...signatureHeaders({ id, timestamp, body: request.body }, signing),
      'User-Agent': USER_AGENT,
    };
    const late = new AbortController();
    const limit = clock.after(TIMEOUT_MS, () => late.abort());
    try {
      const http = { url: new URL(request.url), method: request.method, headers, body: request.body };
      return outcomeOf(await this.#follow(http, AbortSignal.any([signal, late.signal])), clock.now());
    } catch (thrown) {
      signal.throwIfAborted();
      if (late.signal.aborted) {
        return { kind: 'failed', reason: `There was no whole answer within ${TIMEOUT_MS / 1_000} s.` };
      }
      return failureOf(thrown);
    } finally {
      limit.cancel();
    }
  }

  /** Follows redirects within the host only, because nobody has configured another one. */
  async #follow(first: HttpRequest, signal: AbortSignal): Promise<StoredResponse> {
    let request = first;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#options.client.request(request, signal);
      const location = response.headers['location'];
      if (!isRedirect(response.status) || location === undefined) return response;
      const next = URL.canParse(location, request.url.href) ? new URL(location, request.url) : undefined;
      const mayRepeat = request.method === 'GET' || response.status === 307 || response.status === 308;
      if (next === undefined || !isSameHost(request.url, next) || !mayRepeat || redirects >= MAX_REDIRECTS) {
        return response;
      }
      request = { ...request, url: next };
    }
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Whether a redirect stays at the same host and port, or goes from http to https with default ports. */
function isSameHost(from: URL, to: URL): boolean {
  if (to.username !== '' || to.password !== '') return false;
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  return isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === '';
}

function outcomeOf(response: StoredResponse, now: number): SendResult {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return { kind: 'delivered', response };
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  if (status === 410) {
    const reason = 'The receiver answered 410 (gone): it wants no more notifications.';
    return { kind: 'failed', reason, response, isFinal: true };
  }
  const reason = isRedirect(status)
    ? `The receiver answered ${status}, a redirect to ${(headers['location'] ?? 'nowhere').slice(0, 200)}: only those of a GET, or by 307 and 308, within the same host are followed. Configure the new URL.`
    : `The receiver answered ${status}.`;
  return { kind: 'failed', reason, response, retryAfterMs };
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the receiver closed the connection',
  ENOTFOUND: 'its name has no address',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  HPE_HEADER_OVERFLOW: 'its headers are too large',
};

function failureOf(thrown: unknown): SendResult {
  if (thrown instanceof ArmatureError && thrown.code === 'webhook.refused') {
    return { kind: 'failed', reason: thrown.message };
  }
  const known = words[codeOf(thrown)];
  return { kind: 'failed', reason: `The receiver was not reached: ${known ?? toArmatureError(thrown).message}.` };
}
