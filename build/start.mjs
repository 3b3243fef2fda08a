/**
 * `npm start`: the desktop program if Electron's program is installed, else the same page as an app window of Chromium,
 * else the address to open. `npm start -- --headless` only serves. Other arguments go to the server.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromiumProgram } from './chromium-program.mjs';
import { electronProgram } from './electron-program.mjs';
import { nodeOptions } from './node-options.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const given = process.argv.slice(2);
const isHeadless = given.includes('--headless');
const options = given.filter((argument) => argument !== '--headless');
/** Without a `--config` option, the configuration in the home folder: created on the first start. */
const source = options.some((option) => /^--?config(=|$)/.test(option)) ? [] : ['-starter'];
const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);

/** Forwards signals and exits with the child's exit code. */
function follow(child) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
}

/**
 * Everybody on this computer can read the arguments of a program, so the window gets a code that works once, and only
 * for this user.
 */
const windowCode = randomBytes(32).toString('base64url');

/** Opens the page in a window. When the window is closed, the server stops. */
function openAppWindow(browser, url, server) {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'armature-window-'));
  const window = spawn(
    browser,
    [
      `--app=${new URL(url).origin}/window?code=${windowCode}`,
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--disable-sync',
      '--no-default-browser-check',
    ],
    { stdio: 'ignore' },
  );
  const removeProfile = () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  window.on('error', () => {
    removeProfile();
    printNoWindow(`${browser} cannot be run`);
  });
  window.on('exit', (code) => {
    removeProfile();
    // A closed window exits with 0; one that could not open, or crashed, leaves the machine running.
    if (code === 0) server.kill('SIGTERM');
    else printNoWindow('the window ended by itself');
  });
  process.on('exit', () => {
    window.kill();
    removeProfile();
  });
}

function printNoWindow(reason) {
  process.stdout.write(`${reason}: open the address above in a browser\n`);
}

const electron = isHeadless || !hasDisplay ? undefined : electronProgram();
if (electron !== undefined) {
  follow(spawn(electron, [root, ...options], { stdio: 'inherit' }));
} else {
  const browser = isHeadless || !hasDisplay ? undefined : chromiumProgram();
  const server = spawn(
    process.execPath,
    [...nodeOptions, path.join(root, 'build/armature.js'), 'server', ...source, ...options],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...(browser === undefined ? {} : { SVC_WINDOW_CODE: windowCode }) },
    },
  );
  follow(server);
  createInterface({ input: server.stdout }).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    const url = /^open (\S+)$/.exec(line)?.[1];
    if (url === undefined) return;
    if (browser !== undefined) openAppWindow(browser, url, server);
    else if (!isHeadless) printNoWindow('no window to open here');
  });
}
