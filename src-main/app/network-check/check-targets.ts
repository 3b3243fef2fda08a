import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import type { CloudSettings } from '../../machine/cloud/cloud-settings.ts';
import type { MachineConfig } from '../../machine/config/machine-config.ts';
import { hasError } from '../../machine/config/problem-list.ts';
import { parseHostAndPort, showHostAndPort, type HostAndPort } from '../../base/server-address.ts';
import { isLoopbackHost } from '../../rpc/tracked-connection.ts';
import type { ReachabilityTarget } from './reachability-check.ts';

const DNS_PORT = 53;

/** Everything that is checked. */
export interface CheckTargets {
  readonly dnsServers: readonly HostAndPort[];
  /** Names that the DNS servers and this system have to find. */
  readonly hosts: readonly string[];
  /** Names that only this system has to find: multicast DNS and its own files have no server. */
  readonly localHosts: readonly string[];
  readonly servers: readonly ReachabilityTarget[];
  readonly stunServers: readonly HostAndPort[];
  readonly stunTcpServers: readonly HostAndPort[];
}

/** The DNS servers of this computer. */
export function systemDnsServers(texts: readonly string[] = getServers()): readonly HostAndPort[] {
  return texts.flatMap((text) => parseHostAndPort(text, DNS_PORT) ?? []);
}

/**
 * What a machine needs of its network: its hub, its remotes, and what `network.check` names.
 * @param config undefined where there is none
 * @param cloud the hub elsewhere that it belongs to
 */
export function checkTargets(
  config: MachineConfig | undefined,
  cloud: CloudSettings | undefined,
  dnsServers: readonly HostAndPort[] = systemDnsServers(),
): CheckTargets {
  const check = config?.network.check;
  const authority = cloud?.authority ?? '';
  const servers: ReachabilityTarget[] = [
    ...(cloud === undefined ? [] : [{ what: 'hub', address: cloud.address, authority }]),
    ...(config?.remotes ?? [])
      .filter(({ isDisabled, problems }) => !isDisabled && !hasError(problems))
      .map(({ name, address }) => ({ what: `remote ${name}`, address, authority })),
    ...(check?.addresses ?? []).map((address) => ({ what: 'server', address, authority })),
  ];
  const stunServers = check?.stunServers ?? [];
  const stunTcpServers = check?.stunTcpServers ?? [];
  const named = [
    ...servers.map(({ address }) => address.host),
    ...[...stunServers, ...stunTcpServers].map(({ host }) => host),
  ];
  const hosts = unique([...(check?.hosts ?? []), ...named.filter((host) => isIP(host) === 0 && !isLoopbackHost(host))]);
  return {
    dnsServers: uniqueBy(check?.dnsServers.length ? check.dnsServers : dnsServers, showHostAndPort),
    hosts: hosts.filter((host) => !isLocal(host)),
    localHosts: hosts.filter(isLocal),
    servers,
    stunServers: uniqueBy(stunServers, showHostAndPort),
    stunTcpServers: uniqueBy(stunTcpServers, showHostAndPort),
  };
}

/** Multicast DNS has names below `local` (RFC 6762, section 3); those without a dot are of this system's own files. */
function isLocal(host: string): boolean {
  return /\.local\.?$/i.test(host) || !host.includes('.');
}

function unique(texts: readonly string[]): readonly string[] {
  return uniqueBy(texts, (text) => text.toLowerCase());
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
