import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { AccessControl } from './access-control.ts';
import { WebChecks } from './web-checks.ts';

const access = (): AccessControl =>
  new AccessControl(
    {
      authEnabled: false,
      apiKeys: [],
      launchToken: 'launch',
      fqdn: 'bench.local',
      hostnames: ['Shop-PC'],
      allowedOrigins: ['https://dash.example'],
      allowInsecureCreds: false,
    },
    new ManualClock(),
    silentLogger,
    () => true,
  );

function requestWith(headers: Record<string, string>, socket: Record<string, unknown> = {}): IncomingMessage {
  return {
    method: 'GET',
    headers,
    socket: { localPort: 8080, localAddress: '192.168.1.5', remoteAddress: '192.168.1.9', ...socket },
  } as unknown as IncomingMessage;
}

describe('WebChecks', () => {
  it.each([
    ['localhost:8080', true],
    ['127.0.0.1:8080', true],
    ['[::1]:8080', true],
    ['bench.local:8080', true],
    ['shop-pc:8080', true],
    ['192.168.1.5:8080', true],
    ['LOCALHOST:8080', true],
    ['localhost', false],
    ['localhost:8081', false],
    ['evil.example:8080', false],
    ['localhost.evil.example:8080', false],
    ['bench.local.evil.example:8080', false],
    ['192.168.1.6:8080', false],
    ['localhost.:8080', false],
  ])('host %s: let in %s', (host, isOwn) => {
    const check = new WebChecks(access()).checkRequest(requestWith({ host }));
    expect(check.ok).toBe(isOwn);
    if (!check.ok) expect(check.status).toBe(403);
  });

  it.each(['', 'a b', 'user@localhost:8080', 'localhost:8080/path', 'localhost:port'])(
    'host "%s" is malformed',
    (host) => {
      expect(new WebChecks(access()).checkRequest(requestWith({ host }))).toMatchObject({ ok: false, status: 400 });
    },
  );

  it('a request without a host is malformed', () => {
    expect(new WebChecks(access()).checkRequest(requestWith({}))).toMatchObject({ ok: false, status: 400 });
  });

  it('takes the host of HTTP/2 from :authority', () => {
    expect(new WebChecks(access()).checkRequest(requestWith({ ':authority': 'localhost:8080' })).ok).toBe(true);
    expect(new WebChecks(access()).checkRequest(requestWith({ ':authority': 'evil.example:8080' })).ok).toBe(false);
  });

  it('an IPv4 address seen through an IPv6 socket is ours, and so is an IPv6 one', () => {
    const checks = new WebChecks(access());
    const mapped = requestWith({ host: '192.168.1.5:8080' }, { localAddress: '::ffff:192.168.1.5' });
    expect(checks.checkRequest(mapped).ok).toBe(true);
    const v6 = requestWith({ host: '[fd00::5]:8080' }, { localAddress: 'fd00::5' });
    expect(checks.checkRequest(v6).ok).toBe(true);
  });

  it('the port may be left out where it is the default', () => {
    const checks = new WebChecks(access());
    expect(checks.checkRequest(requestWith({ host: 'localhost' }, { localPort: 80 })).ok).toBe(true);
    expect(checks.checkRequest(requestWith({ host: 'localhost' }, { localPort: 443, encrypted: true })).ok).toBe(true);
    expect(checks.checkRequest(requestWith({ host: 'localhost' }, { localPort: 443 })).ok).toBe(false);
  });

  it('no origin: let in, and no CORS answer', () => {
    expect(new WebChecks(access()).checkRequest(requestWith({ host: 'localhost:8080' }))).toEqual({ ok: true });
  });

  it.each([
    ['http://localhost:8080', true],
    ['http://127.0.0.1:8080', true],
    ['http://bench.local:8080', true],
    ['https://dash.example', true],
    ['https://localhost:8080', false],
    ['http://localhost:3000', false],
    ['http://dash.example', false],
    ['https://dash.example.evil.example', false],
    ['https://evil.example', false],
    ['null', false],
    ['file://', false],
    ['http://localhost:8080@evil.example', false],
  ])('origin %s: let in %s', (origin, isAllowed) => {
    const control = access();
    const check = new WebChecks(control).checkRequest(requestWith({ host: 'localhost:8080', origin }));
    expect(check).toMatchObject(isAllowed ? { ok: true, corsOrigin: origin } : { ok: false, status: 403 });
    expect(control.refusals.count('foreign-origin')).toBe(isAllowed ? 0 : 1);
  });

  it('a host name that was rebound to us is refused although its origin agrees with it', () => {
    const control = access();
    const request = requestWith({ host: 'evil.example:8080', origin: 'http://evil.example:8080' });
    expect(new WebChecks(control).checkRequest(request)).toMatchObject({
      ok: false,
      status: 403,
      message: expect.stringMatching(
        /^"evil\.example:8080" is not a name of this machine\. Use localhost .* 8080/,
      ) as string,
    });
    expect(control.refusals.count('foreign-host')).toBe(1);
  });
});
