import { describe, expect, it } from 'vitest';
import { MOST_CHECK_TARGETS } from '../../../../proto/config/schema/document-schema.ts';
import { configOf, parse } from '../config.fixture.ts';
import { planChange } from '../plan/planner.ts';
import { builtinCatalog } from '../../models/catalog.ts';

const briefOf = (check: unknown): readonly string[] =>
  parse({ network: { check } }).problems.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);

describe('network.check', () => {
  it('is read, and what is wrong with it is left out with a warning', () => {
    const check = {
      dns_servers: ['192.0.2.1', 'dns.example', '[::1]:5353'],
      hosts: ['a.example', 'a b'],
      addresses: ['https://a.example', 'a.example:8080', 'ftp://x'],
      stun_servers: ['stun:stun.example', 'stun.example:0'],
      stun_tcp_servers: ['[fe80::1]'],
    };
    expect(briefOf(check)).toEqual([
      'warning network.bad_target /network/check/dns_servers/1',
      'warning network.bad_target /network/check/hosts/1',
      'warning network.bad_target /network/check/addresses/2',
      'warning network.bad_target /network/check/stun_servers/1',
    ]);
    expect(configOf({ network: { check } }).network.check).toMatchObject({
      dnsServers: [
        { host: '192.0.2.1', port: 53 },
        { host: '::1', port: 5_353 },
      ],
      hosts: ['a.example'],
      addresses: [
        { host: 'a.example', port: 443 },
        { host: 'a.example', port: 8_080 },
      ],
      stunServers: [{ host: 'stun.example', port: 3_478 }],
      stunTcpServers: [{ host: 'fe80::1', port: 3_478 }],
    });
  });

  it('takes no more targets than can be checked at once', () => {
    const hosts = Array.from({ length: MOST_CHECK_TARGETS + 1 }, (_, index) => `h${index}.example`);
    expect(briefOf({ hosts })).toEqual(['warning network.too_many_targets /network/check/hosts']);
    expect(configOf({ network: { check: { hosts } } }).network.check?.hosts).toHaveLength(MOST_CHECK_TARGETS);
  });

  it.each([
    [7, 'warning config.wrong_type /network/check'],
    [{ hosts: 'a' }, 'warning config.wrong_type /network/check/hosts'],
    [{ host: [] }, 'warning config.unknown_key /network/check/host'],
  ])('%j is a warning, and keeps nothing from running', (check, problem) => {
    expect(briefOf(check)).toEqual([problem]);
    expect(parse({ network: { check } }).config).toBeDefined();
  });

  it('is a change of settings, in words, that restarts nothing', () => {
    const { settings } = planChange(configOf({}), configOf({ network: { check: { hosts: ['a.b'] } } }), builtinCatalog);
    expect(settings).toEqual([{ key: 'network.check', reason: 'check none to 1 target', needsRestart: false }]);
  });
});
