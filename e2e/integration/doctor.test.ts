import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingReason } from '../../native/index.js';
import { runArmature } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

interface Report {
  readonly version: string;
  readonly node: string;
  readonly home: string;
  readonly backend: string;
  readonly gpioChips: readonly { readonly path: string; readonly lines: readonly { readonly name: string }[] }[];
  readonly spiDevices: readonly { readonly path: string }[];
  readonly limits: { readonly pwmHz: number } | undefined;
  readonly problems: readonly { readonly severity: string; readonly area: string; readonly message: string }[];
}

describe('armature doctor', () => {
  it('says what this computer has, and exits 1 only where something that is there cannot be used', async () => {
    const home = await temporaryFolder();
    const { code, stdout, stderr } = await runArmature(['doctor', '--json'], { SVC_HOME: home });
    expect(stderr).toBe('');
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ backend: 'linux', home, node: process.version });
    expect(report.version).toMatch(/^\d+\.\d+\.\d+/);
    // The result depends on the computer that runs this test; the two must agree on any.
    expect(code).toBe(report.problems.some(({ severity }) => severity === 'error') ? 1 : 0);
    for (const { message } of report.problems) expect(message).toMatch(/^\S.*\.$/);
  });

  it.skipIf(missingReason() !== undefined)('says the same for people and for programs', async () => {
    const json = await runArmature(['doctor', '-json', '-simulate-hardware']);
    const people = await runArmature(['doctor', '--simulate-hardware']);
    expect([json.code, people.code]).toEqual([0, 0]);
    const { gpioChips, spiDevices } = JSON.parse(json.stdout) as Report;
    expect(gpioChips.map(({ path: chip, lines }) => [chip, lines.length])).toEqual([
      ['/dev/gpiochip0', 32],
      ['/dev/gpiochip1', 32],
    ]);
    for (const device of [...gpioChips, ...spiDevices]) expect(people.stdout).toContain(device.path);
    for (const { name } of gpioChips.flatMap(({ lines }) => lines))
      expect(people.stdout).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it.skipIf(process.getuid?.() === 0)('exits 1 where the home folder cannot be written', async () => {
    const folder = await temporaryFolder();
    const shut = path.join(folder, 'shut');
    await mkdir(shut);
    await chmod(shut, 0o500);
    const { code, stdout } = await runArmature(['doctor'], { SVC_HOME: path.join(shut, 'home') });
    expect(code).toBe(1);
    expect(stdout).toContain(`${shut} cannot be written`);
  });

  it('refuses an option that it does not have', async () => {
    const { code, stdout, stderr } = await runArmature(['doctor', '--all']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('usage: armature doctor');
  });
});
