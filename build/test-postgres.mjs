/**
 * `npm run test:postgres`: starts a PostgreSQL of its own (Debian's postgresql
 * 15) in a temporary folder, reachable over a Unix socket alone, runs every
 * test of the hub on it beside SQLite, and ends it by its process id.
 * Arguments go to vitest: `npm run test:postgres -- src-main/hub/fleet`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const programs = ['/usr/lib/postgresql/15/bin', '/usr/local/bin'].find((folder) =>
  ['postgres', 'initdb'].every((name) => existsSync(path.join(folder, name))),
);
/** Longest time for the server to answer, and to end. */
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 20_000;

/** PostgreSQL refuses to run as root: then it runs as the user that Debian's package made for it, or as nobody. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const ids = execFileSync('id', ['-u', name], { stdio: ['ignore', 'pipe', 'ignore'] });
      const groups = execFileSync('id', ['-g', name], { stdio: ['ignore', 'pipe', 'ignore'] });
      return { uid: Number(ids), gid: Number(groups) };
    } catch {
      // no such user: the next one
    }
  }
  throw new Error('PostgreSQL does not run as root, and this computer has neither a user "postgres" nor "nobody".');
}

async function answers(server, address) {
  const { default: pg } = await import('pg');
  const end = Date.now() + START_LIMIT_MS;
  while (Date.now() < end && server.exitCode === null) {
    const client = new pg.Client({ connectionString: address });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return false;
}

/** Starts a server; its address and its end. */
async function startPostgres(folder) {
  const user = unprivilegedUser();
  const data = path.join(folder, 'data');
  for (const made of [folder, data]) {
    mkdirSync(made, { recursive: true, mode: 0o700 });
    if (user.uid !== undefined) chownSync(made, user.uid, user.gid);
  }
  execFileSync(
    path.join(programs, 'initdb'),
    ['--pgdata', data, '--username', 'armature', '--auth', 'trust', '--encoding', 'UTF8', '--no-locale', '--no-sync'],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const server = spawn(
    path.join(programs, 'postgres'),
    ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'max_connections=60'],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-4_000)));
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const limit = setTimeout(() => server.kill('SIGKILL'), STOP_LIMIT_MS);
    server.kill('SIGINT'); // "fast": ends connections, no waiting for clients
    await once(server, 'exit');
    clearTimeout(limit);
  };
  const address = `postgres:///postgres?host=${encodeURIComponent(folder)}&user=armature`;
  if (await answers(server, address)) return { address, stop };
  await stop();
  throw new Error(`PostgreSQL did not start:\n${said}`);
}

async function run(address) {
  const given = process.argv.slice(2);
  const vitest = spawn(
    process.execPath,
    [
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'integration',
      ...(given.length > 0 ? given : ['src-main/hub', 'e2e/integration/hub']),
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ARMATURE_TEST_POSTGRES: address } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => vitest.kill(signal));
  const [code] = await once(vitest, 'exit');
  return code ?? 1;
}

if (programs === undefined) {
  process.stdout.write(
    'test:postgres: skipped, because PostgreSQL 15 is not installed here (apt-get install postgresql-15).\n',
  );
} else {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'armature-pg-'));
  try {
    const server = await startPostgres(folder);
    try {
      process.exitCode = await run(server.address);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
