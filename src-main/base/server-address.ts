import { isIPv6 } from 'node:net';

/** Where a server of ours, or one like it, answers. */
export interface ServerAddress {
  /** As a person wrote it. */
  readonly text: string;
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}

/** `https://host[:port]`, `http://host[:port]` or `host[:port]`, which is `https`. Undefined for other texts. */
export function parseServerAddress(text: string): ServerAddress | undefined {
  const full = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return undefined;
  const url = new URL(full);
  if (url.hostname === '' || url.username !== '' || url.search !== '' || url.hash !== '') return undefined;
  if (url.pathname !== '/') return undefined;
  const isEncrypted = url.protocol === 'https:';
  const port = url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port);
  return { text, host: url.hostname.replace(/^\[|\]$/g, ''), port, isEncrypted };
}

/** The domain of the machines of a hub; the public SDKs require "local" in it. */
export const FLEET_DOMAIN = 'armature.local';

/** Whether a hub gave this name: then that hub finds its machine on any network. */
export function isFleetName(host: string): boolean {
  return host.toLowerCase().endsWith(`.${FLEET_DOMAIN}`);
}

/** The address of a server that is not ours. */
export interface HostAndPort {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** `host`, `host:port`, `[IPv6 address]:port` or an IPv6 address alone. Undefined for other texts. */
export function parseHostAndPort(text: string, defaultPort: number): HostAndPort | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:.%\w]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? (isIPv6(text) ? text : undefined);
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  if (bracketed !== undefined && !isIPv6(bracketed)) return undefined;
  return { host, port };
}

/** The inverse of {@link parseHostAndPort}; an IPv6 address gets brackets. */
export function showHostAndPort({ host, port }: HostAndPort): string {
  return `${hostInUrl(host)}:${port}`;
}

/** A host as written in a URL, or before a port (RFC 3986, section 3.2.2). */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
