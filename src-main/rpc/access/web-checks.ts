import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { WebAccess, WebCheck } from '../port/web-access.ts';
import type { AccessControl } from './access-control.ts';
import type { AccessPolicy } from './access-policy.ts';
import type { RefusalReason } from './refusals.ts';

interface Authority {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Host and Origin checks for everything that comes over HTTP, the WebSocket upgrade included. A web
 * site elsewhere whose name was made to lead here (DNS rebinding) shows a foreign Host; one that
 * simply calls us shows a foreign Origin. Neither check is proof of who calls: the token is.
 */
export class WebChecks implements WebAccess {
  readonly #access: AccessControl;

  constructor(access: AccessControl) {
    this.#access = access;
  }

  checkRequest(request: IncomingMessage): WebCheck {
    const { socket, headers } = request;
    const scheme = (socket as TLSSocket).encrypted === true ? 'https' : 'http';
    const authority = headers.host ?? single(headers[':authority']);
    const host = authority === undefined ? undefined : parseAuthority(`${scheme}://${authority}`);
    if (host === undefined) return { ok: false, status: 400, message: 'The request names no valid host.\n' };
    if (!this.#isOwn(host, request)) {
      const advice = `Use localhost or this computer's own name with port ${socket.localPort}, or set "network": {"fqdn": ...} to a name it has.`;
      return this.#refuse(
        'foreign-host',
        request,
        `"${authority?.slice(0, 200)}" is not a name of this machine. ${advice}`,
      );
    }
    const { origin } = headers;
    if (origin === undefined) return { ok: true };
    if (this.#access.policy.allowedOrigins.includes(origin)) return { ok: true, corsOrigin: origin };
    const page = origin.startsWith(`${scheme}://`) ? parseAuthority(origin) : undefined;
    if (page !== undefined && this.#isOwn(page, request)) return { ok: true, corsOrigin: origin };
    const advice = 'Add it to "network": {"allowed_origins": [...]} to let its pages call this machine.';
    return this.#refuse('foreign-origin', request, `The origin "${origin.slice(0, 200)}" is not allowed. ${advice}`);
  }

  #isOwn({ host, port }: Authority, { socket }: IncomingMessage): boolean {
    return port === socket.localPort && isOwnHost(host, this.#access.policy, socket.localAddress);
  }

  #refuse(reason: RefusalReason, request: IncomingMessage, message: string): WebCheck {
    const address = request.socket.remoteAddress ?? 'unknown address';
    this.#access.refusals.record(reason, address, `${request.method} request`, message);
    return { ok: false, status: 403, message: `${message}\n` };
  }
}

/**
 * Whether a host is this machine, by one of its names or the address that the caller connected to.
 * @param host in lower case, as in a URL
 * @param localAddress of the caller's connection
 */
export function isOwnHost(
  host: string,
  { fqdn, hostnames }: Pick<AccessPolicy, 'fqdn' | 'hostnames'>,
  localAddress: string | undefined,
): boolean {
  if (LOOPBACK_NAMES.has(host)) return true;
  if ([fqdn, ...hostnames].some((name) => name.toLowerCase() === host)) return true;
  // An address cannot be rebound by DNS.
  return host === hostOfAddress(localAddress);
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Host and port of `scheme://host[:port]` and nothing more, as a browser would write it. */
function parseAuthority(text: string): Authority | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    return undefined;
  }
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  return { host: url.hostname, port: url.port === '' ? defaultPort : Number(url.port) };
}

/** A socket's address as it stands in a URL: IPv4 in IPv6 unwrapped, IPv6 in brackets. */
function hostOfAddress(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const bare = address.startsWith('::ffff:') ? address.slice(7) : address;
  return isIP(bare) === 6 ? `[${bare}]` : bare;
}
