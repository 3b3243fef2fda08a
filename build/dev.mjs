/**
 * `npm run dev`: Vite serves the page and hot-reloads its changes; the server is rebuilt and restarted (motors stop
 * first) when its code changes. The launch token stays the same, so the open page reconnects by itself. Arguments go to
 * the server.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { realpathSync, watch } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { createServer } from 'vite';
import { nodeOptions } from './node-options.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const settleMs = 200;
const token = randomBytes(32).toString('base64url');
const given = process.argv.slice(2);
const source = given.some((option) => /^--?config(=|$)/.test(option)) ? [] : ['-starter'];

let server;
let page;
let pageTarget;
let isStopping = false;
let isBuilding = false;
let isStale = false;

function build() {
  const electronVite = path.join(root, 'node_modules/electron-vite/bin/electron-vite.js');
  const steps = [['build/generate.mjs'], [electronVite, 'build', '--logLevel', 'warn']];
  return steps.every((args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0);
}

/** Vite serves the page and proxies its channel to the machine, which sees its own address as the caller's origin. */
async function servePage(url) {
  if (url === pageTarget) return;
  await page?.close();
  pageTarget = url;
  page = await createServer({
    configFile: false,
    root: path.join(root, 'src-renderer'),
    plugins: [vue()],
    server: {
      proxy: { '/channel': { target: url, ws: true, changeOrigin: true, headers: { origin: url } } },
      // In a second working tree node_modules may be a link to the first one's: the fonts are read from there.
      fs: { allow: [root, realpathSync(path.join(root, 'node_modules'))] },
    },
  });
  await page.listen();
  const { port } = page.httpServer.address();
  process.stdout.write(`dev http://localhost:${port}/#token=${token}\n`);
}

function startServer() {
  server = spawn(
    process.execPath,
    [...nodeOptions, path.join(root, 'build/armature.js'), 'server', ...source, ...given],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SVC_LAUNCH_TOKEN: token },
    },
  );
  createInterface({ input: server.stdout }).on('line', (line) => {
    const url = /^serving on (\S+)$/.exec(line)?.[1];
    if (url === undefined) return;
    process.stdout.write(`${line}\n`);
    void servePage(url);
  });
}

/** Resolves when the running server has shut down. */
function stopServer() {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', resolve);
    server.kill('SIGTERM');
  });
}

/** A build that fails leaves the running server as it is. */
async function rebuild() {
  if (isBuilding) {
    isStale = true;
    return;
  }
  isBuilding = true;
  do {
    isStale = false;
    if (!build()) continue;
    await stopServer();
    if (!isStopping) startServer();
  } while (isStale && !isStopping);
  isBuilding = false;
}

if (!build()) process.exit(1);
startServer();
let pending;
for (const folder of ['src-main', 'proto/core', 'proto/config']) {
  watch(path.join(root, folder), { recursive: true }, () => {
    clearTimeout(pending);
    pending = setTimeout(() => void rebuild(), settleMs);
  });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, async () => {
    if (isStopping) return;
    isStopping = true;
    await Promise.all([stopServer(), page?.close()]);
    process.exit(0);
  });
}
