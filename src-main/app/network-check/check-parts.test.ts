import { describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { configOf } from '../../machine/config/config.fixture.ts';
import type { CloudSettings } from '../../machine/cloud/cloud-settings.ts';
import { checkText } from './check-text.ts';
import { checkTargets, systemDnsServers } from './check-targets.ts';
import { defaultGateway, pingOutcome } from './gateway-check.ts';
import { natOutcome } from './stun-check.ts';
import { askDns } from './dns-check.ts';

const address = (text: string, host: string, port = 443) => ({ text, host, port, isEncrypted: true });

describe('what is checked', () => {
  it('is the hub, the remotes and their names, by the DNS servers of the system', () => {
    const cloud = { address: address('https://hub.example', 'hub.example'), authority: 'PEM' } as CloudSettings;
    const config = configOf({
      remotes: [
        { name: 'a', address: 'https://Hub.example:8080' },
        { name: 'b', address: '192.0.2.1:8080' },
        { name: 'c', address: 'bench-2.local' },
        { name: 'off', address: 'off.example', disabled: true },
        { name: 'd', address: 'http://localhost:1' },
      ],
    });
    const targets = checkTargets(config, cloud, [{ host: '192.0.2.53', port: 53 }]);
    expect(targets.hosts).toEqual(['hub.example']);
    expect(targets.localHosts).toEqual(['bench-2.local']);
    expect(targets.servers.map(({ what, authority }) => `${what} ${authority}`)).toEqual([
      'hub PEM',
      'remote a PEM',
      'remote b PEM',
      'remote c PEM',
      'remote d PEM',
    ]);
    expect(targets.dnsServers).toEqual([{ host: '192.0.2.53', port: 53 }]);
    expect(targets.stunServers).toEqual([]);
  });

  it('is what the configuration names instead of the DNS servers, and besides the rest', () => {
    const config = configOf({
      network: {
        check: {
          dns_servers: ['192.0.2.2', '[2001:db8::1]:5353', '2001:db8::2'],
          hosts: ['a.example', 'A.example'],
          addresses: ['https://files.example:9000'],
          stun_servers: ['stun:stun.example', '192.0.2.3:3479'],
        },
      },
    });
    const targets = checkTargets(config, undefined, [{ host: '192.0.2.53', port: 53 }]);
    expect(targets.dnsServers).toEqual([
      { host: '192.0.2.2', port: 53 },
      { host: '2001:db8::1', port: 5_353 },
      { host: '2001:db8::2', port: 53 },
    ]);
    expect(targets.hosts).toEqual(['A.example', 'files.example', 'stun.example']);
    expect(targets.stunServers).toEqual([
      { host: 'stun.example', port: 3_478 },
      { host: '192.0.2.3', port: 3_479 },
    ]);
  });

  it('reads the servers of the system as Node writes them', () => {
    expect(systemDnsServers(['127.0.0.53', '[::1]:54', '::1'])).toEqual([
      { host: '127.0.0.53', port: 53 },
      { host: '::1', port: 54 },
      { host: '::1', port: 53 },
    ]);
  });
});

describe('the default gateway', () => {
  const head = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';

  it('is that of the route with the lowest metric', () => {
    const text = `${head}wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\neth0\t00000000\tFE01A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\neth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n`;
    expect(defaultGateway(text)).toBe('192.168.1.254');
  });

  it.each([
    [''],
    [head],
    [`${head}tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n`],
    [`${head}eth0\t00000000\tnonsense\t0003\t0\t0\t100\t00000000\t0\t0\t0\n`],
    [`${head}eth0 00000000`],
  ])('is none in %j', (text) => {
    expect(defaultGateway(text)).toBeUndefined();
  });

  it('answers, sometimes or not at all, which fails nothing', () => {
    const output = (received: number): string =>
      `3 packets transmitted, ${received} received, 0% packet loss, time 603ms\nrtt min/avg/max/mdev = 0.3/0.5/0.9/0.1 ms\n`;
    expect(pingOutcome('192.0.2.1', output(3))).toMatchObject({
      state: 'ok',
      found: '192.0.2.1 answers (3 of 3, 0.5 ms on average)',
    });
    expect(pingOutcome('192.0.2.1', output(1)).found).toContain('answers 1 of 3 times');
    expect(pingOutcome('192.0.2.1', output(0))).toMatchObject({ state: 'note' });
    expect(pingOutcome('192.0.2.1', 'ping: socket: Operation not permitted').state).toBe('note');
  });
});

describe('NAT', () => {
  const mapping = (host: string, port: number, localPort = 1_000) => ({
    server: 's',
    mapped: { host, port },
    localPort,
  });
  const own = new Set(['192.168.1.2']);

  it.each([
    ['nothing where nobody answered', [], undefined],
    ['none where servers see what this computer has', [mapping('192.168.1.2', 1_000)], 'ok'],
    ['nothing where one server answered', [mapping('203.0.113.1', 7)], undefined],
    ['one address for all', [mapping('203.0.113.1', 7), mapping('203.0.113.1', 7)], 'ok'],
    ['another port for each', [mapping('203.0.113.1', 7), mapping('203.0.113.1', 8)], 'note'],
    ['nothing where one is in this network', [mapping('203.0.113.1', 7), mapping('192.168.1.2', 1_000)], undefined],
    ['nothing of one each in IPv4 and IPv6', [mapping('203.0.113.1', 7), mapping('2001:db8::1', 7)], undefined],
  ])('says %s', (_, mappings, state) => {
    expect(natOutcome(mappings, own)?.state).toBe(state);
  });
});

describe('asking a DNS server', () => {
  it('rejects where nobody listens', async () => {
    const port = 9; // "discard", which nothing serves
    const asked = { name: 'a.example', type: 'A' } as const;
    const never = new AbortController().signal;
    await expect(askDns({ host: '127.0.0.1', port }, asked, systemClock, never)).rejects.toThrow('ECONNREFUSED');
  });

  it('rejects when it has to end', async () => {
    const ending = new AbortController();
    const asked = { name: 'a.example', type: 'A' } as const;
    // From the range for documentation: nobody answers.
    const answer = askDns({ host: '127.0.0.1', port: 1 }, asked, new ManualClock(), ending.signal);
    ending.abort();
    await expect(answer).rejects.toThrow('no answer');
  });
});

it('is shown as a table, with the next step below what failed', () => {
  const text = checkText(
    [
      { area: 'DNS', target: 'a by b', state: 'ok', found: '192.0.2.1', next: '', tookMs: 12 },
      { area: 'TCP', target: 'hub c', state: 'failed', found: 'refused', next: 'Start it.', tookMs: 1 },
    ],
    [],
  );
  expect(text).toBe(
    'Network\n  ok      DNS  a by b  12 ms  192.0.2.1\n  FAILED  TCP  hub c   1 ms   refused\n          Start it.\n\n1 check failed.\n',
  );
});
