import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import type { ProcessCommand } from '../process/module-process.ts';
import { Cgroup } from './cgroup.ts';
import { joinedCommand } from './joined-command.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'cgroup-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')('a cgroup', () => {
  // An ordinary folder looks like a cgroup of a kernel before 5.14: there is no cgroup.kill.
  it('is ended where it can only be read who is in it, also further below', async () => {
    const group = new Cgroup(folder, systemClock);
    const below = path.join(folder, 'below');
    mkdirSync(below);
    const children = [folder, below].map((place) => {
      const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
      writeFileSync(path.join(place, 'cgroup.procs'), `0\n${child.pid}\n${process.pid}\n`);
      return child;
    });
    expect(group.processes()).toEqual(children.map(({ pid }) => pid).reverse());
    const exits = children.map((child) => once(child, 'exit'));
    const ended = group.end();
    expect((await Promise.all(exits)).map(([, signal]) => signal as string)).toEqual(['SIGKILL', 'SIGKILL']);
    rmSync(folder, { recursive: true });
    expect(await ended).toBe(true);
  });

  it('that is gone already needs nothing', async () => {
    const group = new Cgroup(path.join(folder, 'gone'), systemClock);
    expect(group.processes()).toEqual([]);
    expect(await group.end()).toBe(true);
  });
});

describe.skipIf(process.platform === 'win32')('a command in a cgroup', () => {
  const command = (executable: string, ...args: string[]): ProcessCommand => ({
    executable,
    args,
    folder,
    environment: { PATH: process.env['PATH'] ?? '', KEPT: 'x y' },
  });
  const run = ({ executable, args, environment }: ProcessCommand): ReturnType<typeof spawnSync> =>
    spawnSync(executable, [...args], { env: { ...environment }, encoding: 'utf8' });

  it('enters before it begins, and keeps its id, arguments, environment and exit code', () => {
    const group = new Cgroup(folder, systemClock);
    const script = 'read -r entered <"$1"; test "$entered" = $$ && printf "%s|" "$KEPT" "$2" "$#"; exit 7';
    const found = run(joinedCommand(command('/bin/sh', '-c', script, 'sh', group.members, `a 'b" $c`), group));
    expect(found).toMatchObject({ stdout: `x y|a 'b" $c|2|`, stderr: '', status: 7 });
    expect(Number(readFileSync(group.members, 'utf8'))).toBe(found.pid);
  });

  it('that cannot enter runs all the same, and says so', () => {
    const group = new Cgroup(path.join(folder, 'missing'), systemClock);
    const found = run(joinedCommand(command('/bin/sh', '-c', 'echo runs'), group));
    expect(found).toMatchObject({ stdout: 'runs\n', status: 0 });
    expect(found.stderr).toContain(group.members);
  });

  it('that a shell would change is left as it is', () => {
    const group = new Cgroup(folder, systemClock);
    const file = (name: string, text: string, mode: number): ProcessCommand => {
      writeFileSync(path.join(folder, name), text);
      chmodSync(path.join(folder, name), mode);
      return command(path.join(folder, name));
    };
    const odd = { ...command('/bin/sh'), environment: { 'odd.name': '1' } };
    const plain = [
      command(path.join(folder, 'missing')),
      file('no-program', '#!/bin/sh\n', 0o644),
      file('no-interpreter', `#! ${folder}/missing -x\n`, 0o755),
      odd,
    ];
    for (const one of plain) expect(joinedCommand(one, group)).toBe(one);
    expect(joinedCommand(file('script', '#!/bin/sh\n', 0o755), group).executable).toBe('/bin/sh');
    // The isolation command runs a shell of its own.
    expect(joinedCommand({ ...odd, executable: 'unshare' }, group).executable).toBe('/bin/sh');
  });
});
