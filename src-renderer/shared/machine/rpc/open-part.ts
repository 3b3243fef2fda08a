import { addressOnPart } from '../../../link/connect/part-address.ts';

/**
 * Opens this page on a part of the fleet, at its overview. On another part the
 * page is loaded anew: nothing of one machine may be left where another is
 * shown. On its own, the fragment alone changes and the router follows it.
 * @param ownPartId the part that needs no name in the address
 */
export function openPart(partId: string, ownPartId: string): void {
  window.location.assign(addressOnPart(window.location.href, partId === ownPartId ? '' : partId, 'overview'));
}
