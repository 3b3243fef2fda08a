import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { NetworkConfig } from '../machine/config/machine-config.ts';
import type { Certificate } from '../rpc/port/listener.ts';
import { followCertificate, readCertificate } from './network.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'armature-certificate-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);

function make(name: string): void {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`)];
  execFileSync('openssl', ['req', '-x509', ...curve, ...files, '-days', '2', '-subj', `/CN=${name}`], {
    stdio: 'ignore',
  });
}

describe('a certificate that is renewed', () => {
  it('is shown within a minute, and not while its key is still the old one', async () => {
    make('old');
    make('new');
    copyFileSync(at('old.crt'), at('cert.pem'));
    copyFileSync(at('old.key'), at('key.pem'));
    const network = { tlsCertFile: at('cert.pem'), tlsKeyFile: at('key.pem') } as NetworkConfig;
    const clock = new ManualClock();
    const warnings: string[] = [];
    const shown: Certificate[] = [];
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    const first = await readCertificate(network);
    const check = followCertificate(network, first as Certificate, clock, logger, (found) => shown.push(found));

    copyFileSync(at('new.crt'), at('cert.pem'));
    clock.advance(60_000);
    await expect.poll(() => warnings.length).toBe(1);
    expect(warnings[0]).toMatch(/are no certificate with its key.*still shown/);
    expect(shown).toEqual([]);

    copyFileSync(at('new.key'), at('key.pem'));
    // What began before may still be reading.
    await expect
      .poll(() => {
        clock.advance(60_000);
        return shown.length;
      })
      .toBe(1);
    expect(shown[0]?.cert).toBe(readFileSync(at('new.crt'), 'utf8'));

    check.cancel();
    writeFileSync(at('cert.pem'), 'spoilt');
    clock.advance(600_000);
    expect([warnings.length, shown.length]).toEqual([1, 1]);
  });
});
