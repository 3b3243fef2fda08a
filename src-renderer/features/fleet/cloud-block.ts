import type { NewKey } from '../../shared/machine/fleet-view.ts';

/** File with the certificate of the hub's authority, beside the machine's configuration. */
export const authorityFile = 'hub-ca.pem';

/** Text of a configuration file that connects a machine to the hub at an address, as this part. */
export function cloudBlock(partId: string, key: NewKey, address: string): string {
  const isEncrypted = address.startsWith('https:');
  const cloud = {
    id: partId,
    api_key: { id: key.id, key: key.secret },
    app_address: address,
    // The hub's certificate is signed by its own authority, so the machine needs that authority's certificate.
    ...(isEncrypted ? { ca: authorityFile } : {}),
  };
  return `${JSON.stringify({ cloud }, undefined, 2)}\n`;
}

/** What is wrong with an address, as far as this page can tell; '' if nothing. */
export type AddressProblem = '' | 'form' | 'loopback' | 'clear';

export function addressProblem(address: string): AddressProblem {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return 'form';
  const url = new URL(address);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') return 'form';
  if (isLoopback(url.hostname)) return 'loopback';
  return url.protocol === 'http:' ? 'clear' : '';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.endsWith('.localhost') || /^127\./.test(host);
}
