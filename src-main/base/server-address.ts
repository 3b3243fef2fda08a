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

/** Under which the machines of a hub have their names; the public SDKs want "local" in them. */
export const FLEET_DOMAIN = 'armature.local';

/** Whether this is a name that a hub has given: whoever has it is found by that hub, wherever it is. */
export function isFleetName(host: string): boolean {
  return host.toLowerCase().endsWith(`.${FLEET_DOMAIN}`);
}
