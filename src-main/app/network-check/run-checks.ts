import { networkInterfaces } from 'node:os';
import { withTimeout } from '../../base/async/timeout.ts';
import type { Clock } from '../../base/clock.ts';
import type { Check, CheckResult, Outcome } from './check.ts';
import { failed, note, reasonOf } from './check.ts';
import type { CheckTargets } from './check-targets.ts';
import { dnsCheck, dnsServerCheck, systemLookupCheck } from './dns-check.ts';
import { gatewayCheck } from './gateway-check.ts';
import { reachabilityCheck } from './reachability-check.ts';
import { natOutcome, tcpStunCheck, UdpStun } from './stun-check.ts';

/** Times that checks may take, milliseconds. */
export interface CheckLimits {
  readonly stepMs: number;
  readonly totalMs: number;
}

export const checkLimits: CheckLimits = { stepMs: 5_000, totalMs: 25_000 };

/** Beyond this, packets of checks would get into each other's way. */
const MAX_CONCURRENT = 64;

export interface CheckRun {
  readonly clock: Clock;
  readonly limits: CheckLimits;
  /** False with `-untrusted-env`. */
  readonly mayStartPrograms: boolean;
}

/** Checks everything, side by side, and gives the results in the order of the report. Never rejects. */
export async function runChecks(
  targets: CheckTargets,
  { clock, limits, mayStartPrograms }: CheckRun,
): Promise<readonly CheckResult[]> {
  const udp = new UdpStun(clock);
  const names = [...targets.hosts, ...targets.localHosts];
  const checks: readonly Check[] = [
    gatewayCheck(mayStartPrograms),
    ...targets.dnsServers.flatMap((server) =>
      targets.hosts.length === 0
        ? [dnsServerCheck(server, clock)]
        : targets.hosts.map((host) => dnsCheck(server, host, clock)),
    ),
    ...names.map(systemLookupCheck),
    ...targets.servers.map(reachabilityCheck),
    ...targets.stunServers.map((server) => udp.check(server)),
    ...targets.stunTcpServers.map(tcpStunCheck),
  ];
  const began = clock.monotonic();
  const results: CheckResult[] = Array.from({ length: checks.length });
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < checks.length; index = next++) {
      const check = checks[index] as Check;
      const leftMs = limits.totalMs - (clock.monotonic() - began);
      results[index] = await runOne(check, Math.min(limits.stepMs, leftMs), clock);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, checks.length) }, worker));
  await udp.close();
  const own = new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)));
  const nat = natOutcome(udp.mappings, own);
  if (nat !== undefined) results.push({ area: 'NAT', target: 'over UDP', tookMs: 0, ...nat });
  if (targets.dnsServers.length === 0) results.unshift(withoutDns(targets));
  return results;
}

function withoutDns({ hosts }: CheckTargets): CheckResult {
  const found = 'this computer has no DNS server';
  const next = 'Name one in the settings of its network, or in "network": {"check": {"dns_servers": [...]}}.';
  return {
    area: 'DNS',
    target: 'servers',
    tookMs: 0,
    ...(hosts.length === 0 ? note(found, next) : failed(found, next)),
  };
}

async function runOne(check: Check, ms: number, clock: Clock): Promise<CheckResult> {
  const { area, target } = check;
  const began = clock.monotonic();
  const outcome =
    ms <= 0 ? lateOutcome('not begun: the time for all checks was over') : await outcomeOf(check, ms, clock);
  return { area, target, tookMs: Math.round(clock.monotonic() - began), ...outcome };
}

/** For what ends as it should when its signal aborts. */
const GRACE_MS = 100;

async function outcomeOf(check: Check, ms: number, clock: Clock): Promise<Outcome> {
  const ending = new AbortController();
  const seconds = `${Math.round(ms / 100) / 10} s`;
  const timer = clock.after(ms, () => ending.abort(new Error('no answer')));
  try {
    // The system looks up names without a way to end it.
    const onTimeout = (): Outcome => lateOutcome(`no answer within ${seconds}`);
    return await withTimeout(() => check.run(ending.signal), { clock, ms: ms + GRACE_MS, onTimeout });
  } catch (thrown) {
    const reason = reasonOf(thrown);
    return lateOutcome(ending.signal.aborted ? `${reason} within ${seconds}` : reason);
  } finally {
    timer.cancel();
  }
}

function lateOutcome(found: string): Outcome {
  return failed(found, 'Check that it is there, and that no firewall on the way drops what is sent to it.');
}
