import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { RefusalLog } from '../../rpc/access/refusals.ts';
import type { WebAccess, WebCheck } from '../../rpc/port/web-access.ts';

/**
 * Which web sites may call a hub from a browser: its own address, and those
 * that were allowed. Host names are not checked as a machine's are: a browser
 * that was led here proves nothing by it, every call needs a token.
 */
export class OriginChecks implements WebAccess {
  readonly #allowed: ReadonlySet<string>;
  readonly #refusals: RefusalLog;

  /** @param allowed `https://host[:port]`, compared as a whole */
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
