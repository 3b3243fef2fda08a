import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installModuleProgram, type ModuleProgram } from '../harness/module-program.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../..');

/** An empty registry, which remembers the requests that it received. */
async function emptyRegistry(): Promise<{ server: Server; url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(decodeURIComponent(request.url ?? ''));
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

describe('a module without the program that made it', () => {
  let program: ModuleProgram;
  let registry: Awaited<ReturnType<typeof emptyRegistry>>;

  beforeEach(async () => {
    [program, registry] = await Promise.all([installModuleProgram(), emptyRegistry()]);
  });
  afterEach(async () => {
    registry.server.close();
    await program.remove();
  });

  /** Runs npm without this computer's settings and cache, using only that registry. */
  const npm = (args: readonly string[], cwd: string) =>
    run('npm', [...args, '--no-audit', '--no-fund', '--no-update-notifier'], {
      cwd,
      env: {
        PATH: `${path.join(repository, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
        HOME: path.join(program.folder, 'home'),
        npm_config_registry: registry.url,
        npm_config_cache: path.join(program.folder, 'cache'),
        npm_config_fetch_retries: '0',
      },
    });

  it('installs its SDK from its own folder, checked, runs its tests, and asks no registry for anything of ours', async () => {
    expect(await program.run(['create', 'acme:alone'])).toMatchObject({ code: 0, stderr: '' });
    await rm(program.root, { recursive: true });
    const folder = path.join(program.folder, 'moved');
    await rename(path.join(program.folder, 'alone'), folder);
    await npm(['test'], folder);

    await rm(path.join(folder, 'node_modules'), { recursive: true });
    await npm(['install'], folder);
    const { stdout } = await npm(['test'], folder);
    expect(stdout).toMatch(/pass 2\n/);
    expect(registry.asked.filter((url) => /armature/i.test(url))).toEqual([]);

    const lock = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; integrity?: string }>;
    };
    const { resolved = '', integrity } = lock.packages['node_modules/@armature-machine/module'] ?? {};
    const tarball = await readFile(path.join(folder, resolved.replace(/^file:/, '')));
    expect(integrity).toBe(`sha512-${createHash('sha512').update(tarball).digest('base64')}`);
  });

  it('refuses an SDK that is not the one it was made with', async () => {
    await program.run(['create', 'acme:changed']);
    const folder = path.join(program.folder, 'changed');
    const lock = await readFile(path.join(folder, 'package-lock.json'), 'utf8');
    const tarball = path.join(folder, /file:([^"]+\.tgz)/.exec(lock)?.[1] ?? '');
    const { root } = program;
    await mkdir(path.join(root, 'other'));
    await writeFile(path.join(root, 'other/package.json'), '{"name": "@armature-machine/module", "version": "0.1.0"}');
    await run('tar', ['-czf', tarball, '-C', root, 'other']);
    await rm(path.join(folder, 'node_modules'), { recursive: true });
    await expect(npm(['install'], folder)).rejects.toThrow(/EINTEGRITY/);
  });
});

it('the command of the repository is found by its path, from any folder, and never in a registry', async () => {
  const registry = await emptyRegistry();
  try {
    const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', npm_config_registry: registry.url };
    const { stdout } = await run(path.join(repository, 'armature'), ['server', '-help'], { cwd: '/', env });
    expect(stdout).toContain('-config');
    expect(registry.asked).toEqual([]);
  } finally {
    registry.server.close();
  }
});
