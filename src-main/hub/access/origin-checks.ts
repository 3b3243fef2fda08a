import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { RefusalLog } from '../../rpc/access/refusals.ts';
import type { WebAccess, WebCheck } from '../../rpc/port/web-access.ts';

/**
 * Decides which web sites may call a hub from a browser: the hub's own address and the allowed origins. Unlike at a
 * machine, host names are not checked: every call needs a token, so DNS rebinding gains nothing.
 */
export class OriginChecks implements WebAccess {
  readonly #allowed: ReadonlySet<string>;
  readonly #refusals: RefusalLog;

  /** @param allowed origins `https://host[:port]`, which must match exactly */
  constructor(allowed: readonly string[], refusals: RefusalLog) {
    this.#allowed = new Set(allowed);
    this.#refusals = refusals;
  }

  checkRequest({ headers, socket, method }: IncomingMessage): WebCheck {
    const { origin } = headers;
    if (origin === undefined) return { ok: true };
    const scheme = (socket as TLSSocket).encrypted === true ? 'https' : 'http';
    const authority = headers.host ?? String(headers[':authority'] ?? '');
    if (this.#allowed.has(origin) || origin === `${scheme}://${authority}`) return { ok: true, corsOrigin: origin };
    const message = `The origin "${origin.slice(0, 200)}" is not allowed. Start the hub with --allowed-origin to let its pages call it.`;
    const address = socket.remoteAddress ?? 'unknown address';
    this.#refusals.record('foreign-origin', address, `${method ?? ''} request`, message);
    return { ok: false, status: 403, message: `${message}\n` };
  }
}
