/** A separate PostgreSQL server (Debian's postgresql 15), reachable only over a Unix socket. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const programs = ['/usr/lib/postgresql/15/bin', '/usr/local/bin'].find((folder) =>
  ['postgres', 'initdb'].every((name) => existsSync(path.join(folder, name))),
);
/** Maximum time for the server to answer, and to stop. */
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 20_000;

/** PostgreSQL refuses to run as root: then it runs as the user that Debian's package created, or as nobody. */
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

/** The reason why none can be started here; undefined where one can. */
export const whyNoPostgres =
  programs === undefined ? 'PostgreSQL 15 is not installed here (apt-get install postgresql-15)' : undefined;

/**
 * Starts a server; returns its address, its process, and a function that stops it.
 * @param folder created for its data and its socket
 * @param through a program and its arguments that start the server and are replaced by it (exec)
 */
export async function startPostgres(folder, through = []) {
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
  const [program, ...before] = [...through, path.join(programs, 'postgres')];
  const options = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'max_connections=60'];
  const server = spawn(program, [...before, ...options], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
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
  if (await answers(server, address)) return { address, process: server, stop };
  await stop();
  throw new Error(`PostgreSQL did not start:\n${said}`);
}
