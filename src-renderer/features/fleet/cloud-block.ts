import type { NewKey } from '../../shared/machine/fleet-view.ts';

/** File beside the machine's configuration that has the certificate of the hub's authority. */
export const authorityFile = 'hub-ca.pem';

/** Text of a configuration file that makes a machine this part of the hub at an address. */
export function cloudBlock(partId: string, key: NewKey, address: string): string {
  const isEncrypted = address.startsWith('https:');
  const cloud = {
    id: partId,
    api_key: { id: key.id, key: key.secret },
    app_address: address,
    // The hub signs its certificate itself, so a machine has to be given what to trust.
    ...(isEncrypted ? { ca: authorityFile } : {}),
  };
  return `${JSON.stringify({ cloud }, undefined, 2)}\n`;
}

/** What is wrong with an address, as far as this page can tell; '' for a good one. */
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
