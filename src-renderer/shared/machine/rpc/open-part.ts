import { addressOnPart } from '../../../link/connect/part-address.ts';

/**
 * Opens a part of the fleet in this page, at its overview. For another part the
 * page is reloaded, so that no state of one machine is left when another is shown.
 * For the same part only the fragment changes, and the router follows it.
 * @param ownPartId the part that the address need not name
 */
export function openPart(partId: string, ownPartId: string): void {
  window.location.assign(addressOnPart(window.location.href, partId === ownPartId ? '' : partId, 'overview'));
}
