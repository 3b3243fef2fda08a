import { hostname, networkInterfaces } from 'node:os';

/** Names and addresses under which clients reach this computer; those in `first` come first. */
export function computerHosts(first: readonly string[]): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((infos) => (infos ?? []).map(({ address }) => address));
  const own = hostname().toLowerCase();
  const names = [...first, own, `${own}.local`, 'localhost', '127.0.0.1', '::1', ...addresses];
  return [...new Set(names.filter((name) => name !== '' && name !== '0.0.0.0' && name !== '::'))];
}
