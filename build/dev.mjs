/**
 * `npm run dev`: rebuilds on every change; the server restarts with it, the
 * page reloads when its channel returns. Arguments go to the server.
 */
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bundle = path.join(root, 'dist/main');
const settleMs = 300;
let server;
let isStopping = false;

const builder = spawn(
  process.execPath,
  [path.join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--watch', '--logLevel', 'warn'],
  { cwd: root, stdio: 'inherit' },
);

function startServer() {
  if (!existsSync(path.join(bundle, 'cli.js'))) return;
  server = spawn(process.execPath, [path.join(root, 'build/armature.js'), 'server', ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
}

/** Ends the running server in order (motors first), then starts the new build. */
function restart() {
  const old = server;
  if (old === undefined || old.exitCode !== null) return startServer();
  old.once('exit', () => {
    if (!isStopping) startServer();
  });
  old.kill('SIGTERM');
}

startServer();
let pending;
watch(bundle, { recursive: true }, () => {
  clearTimeout(pending);
  pending = setTimeout(restart, settleMs);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    isStopping = true;
    builder.kill(signal);
    if (server === undefined || server.exitCode !== null) process.exit(0);
    server.once('exit', (code) => process.exit(code ?? 0));
    server.kill(signal);
  });
}
