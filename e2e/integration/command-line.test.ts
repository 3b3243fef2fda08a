import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { armature, benchConfig, runArmature } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const bench = await readFile(benchConfig, 'utf8');

async function fileWith(text: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'machine.json');
  await writeFile(file, text);
  return file;
}

/** A Node of this computer that is too old for the program, or undefined. */
function oldNode(): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const node = path.join(folder, 'node');
    const found = spawnSync(node, ['--version'], { encoding: 'utf8' });
    if (found.status === 0 && Number(/^v(\d+)/.exec(found.stdout)?.[1]) < 22) return node;
  }
  return undefined;
}

const old = oldNode();

it.skipIf(old === undefined)('with a Node that is too old says which it needs (needs such a Node)', () => {
  const { status, stderr } = spawnSync(old ?? '', [...armature, '-version'], { encoding: 'utf8' });
  expect(stderr).toMatch(/^armature needs Node 22\.15 or newer; this is v\d/);
  expect(status).toBe(2);
});

describe('armature config check', () => {
  it('exits 0 for the bench and finds nothing', async () => {
    const { code, stdout, stderr } = await runArmature(['config', 'check', benchConfig, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('exits 1 for an error, and prints the problems in the form that other programs rely on', async () => {
    const file = await fileWith(bench.replace('"max_rpm": 100 }', '"max_rpm": "fast", "pwm_frq": 5 }'));
    const { code, stdout } = await runArmature(['config', 'check', file, '--json']);
    expect(code).toBe(1);
    const problems = JSON.parse(stdout) as Record<string, unknown>[];
    expect(problems.map(({ severity, pointer }) => [severity, pointer])).toEqual([
      ['error', '/components/2/attributes/max_rpm'],
      ['warning', '/components/2/attributes/pwm_frq'],
    ]);
    for (const problem of problems) {
      expect(problem).toMatchObject({
        file,
        line: expect.any(Number) as number,
        column: expect.any(Number) as number,
        code: expect.stringMatching(/^\w+\.\w+$/) as string,
        message: expect.stringContaining('left') as string,
      });
    }
  });

  it('prints them for people as compilers do', async () => {
    const file = await fileWith('{ "components": [ }');
    const { code, stdout } = await runArmature(['config', 'check', file]);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^${file}:1:19: error config.syntax .*\\n`));
    expect(stdout).toContain('1 error, 0 warnings');
  });

  it('names a file that is not there', async () => {
    const { code, stdout, stderr } = await runArmature(['config', 'check', '/no/such/machine.json']);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('/no/such/machine.json');
  });
});

describe('armature config plan', () => {
  it('says what going from one file to another would do, and what it would stop', async () => {
    const to = bench.replace('"max_rpm": 100 }', '"max_rpm": 90 }').replace('"dir_flip": true', '"dir_flip": false');
    const { code, stdout } = await runArmature(['config', 'plan', benchConfig, await fileWith(to)]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/core:component:motor\/left: max_rpm 100 to 90(?! \(stops motion\))/);
    expect(stdout).toMatch(/core:component:motor\/right: .*dir_flip.*\(stops motion\)/);
    expect(stdout).not.toContain('turntable');
  });

  it('exits 1 where one of them cannot be applied, naming the place', async () => {
    const broken = await fileWith('{');
    const { code, stderr } = await runArmature(['config', 'plan', benchConfig, broken]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${broken}:1:`);
  });
});
