/** The desktop program: a station in Electron's main process, and a window on it. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, dialog, ipcMain, Menu, type BrowserWindow, type Tray } from 'electron';
import { buildMenu, buildTray, type MenuActions } from './app/desktop/menu.ts';
import { openMainWindow } from './app/desktop/main-window.ts';
import { registerPageScheme, servePage } from './app/desktop/page-protocol.ts';
import { readPreferences, writePreferences, type Preferences } from './app/desktop/preferences.ts';
import { ensureStarterConfig, homeFolder } from './app/home.ts';
import type { Station } from './app/station.ts';
import { stopSignals } from './app/stop-signals.ts';
import { exitCodes, type ExitCode } from './machine/options/exit-codes.ts';
import { parseOptions } from './machine/options/parse-options.ts';
import { readServerEnvironment } from './machine/options/server-environment.ts';
import { createStation, describeFailure, openLogs } from './server.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const pageFolder = path.join(here, '../renderer');
const preload = path.join(here, '../preload/index.cjs');
const icon = path.join(here, '../../build/icons/tray.png');
const preferencesFile = path.join(homeFolder(process.env), 'window.json');

let station: Station | undefined;
let window: BrowserWindow | undefined;
let tray: Tray | undefined;
let preferences: Preferences = readPreferences(preferencesFile);
let isStopped = false;
let exitCode: ExitCode = exitCodes.ok;
let fault = '';

function remember(changed: Partial<Preferences>): void {
  preferences = { ...preferences, ...changed };
  // Forgetting a window's size must never keep the program from stopping.
  void writePreferences(preferencesFile, preferences).catch(() => undefined);
}

function showWindow(): void {
  if (window !== undefined) {
    window.show();
    return;
  }
  window = openMainWindow(preload, preferences.bounds);
  window.on('close', () => remember({ bounds: window?.getBounds() ?? preferences.bounds }));
  window.on('closed', () => (window = undefined));
}

const actions: MenuActions = {
  show: showWindow,
  stopAll: () => void station?.stopAll(),
  quit: () => app.quit(),
  keepsRunningInTray: () => preferences.keepRunningInTray,
  setKeepRunningInTray: (isKept) => {
    remember({ keepRunningInTray: isKept });
    updateTray();
  },
};

function updateTray(): void {
  if (preferences.keepRunningInTray) {
    tray ??= buildTray(icon, actions);
  } else {
    tray?.destroy();
    tray = undefined;
  }
}

async function startStation(): Promise<Station> {
  const given = process.argv.slice(app.isPackaged ? 1 : 2);
  const hasConfig = given.some((argument) => /^--?config(=|$)/.test(argument));
  const args = hasConfig ? given : ['-config', await ensureStarterConfig(process.env), ...given];
  const parsed = parseOptions(args, process.env);
  const environment = readServerEnvironment(process.env);
  if (parsed.kind !== 'run' || environment.kind !== 'valid') {
    throw new Error(
      parsed.kind === 'usage-error' ? parsed.text : environment.kind === 'usage-error' ? environment.text : '',
    );
  }
  const started = createStation(parsed.options, environment.environment, openLogs(parsed.options), pageFolder, () =>
    app.quit(),
  );
  await started.listen();
  void started.start();
  return started;
}

async function main(): Promise<void> {
  await app.whenReady();
  try {
    station = await startStation();
  } catch (thrown) {
    dialog.showErrorBox('Armature cannot start', describeFailure(thrown).text);
    app.exit(describeFailure(thrown).exitCode);
    return;
  }
  servePage(pageFolder);
  ipcMain.on('armature:connect', (event) => {
    const [port] = event.ports;
    if (port !== undefined && event.senderFrame?.url.startsWith('armature://') === true) station?.connectWindow(port);
  });
  Menu.setApplicationMenu(buildMenu(actions));
  updateTray();
  showWindow();
}

// One program, one machine: a second start shows the first one's window.
if (!app.requestSingleInstanceLock()) {
  app.quit();
} else {
  registerPageScheme();
  app.on('second-instance', showWindow);
  app.on('activate', showWindow);
  app.on('window-all-closed', () => {
    if (!preferences.keepRunningInTray) app.quit();
  });
  // Quitting waits until everything that moves has stopped and the resources are closed.
  app.on('will-quit', (event) => {
    if (isStopped || station === undefined) return;
    event.preventDefault();
    void station.stop().finally(() => {
      isStopped = true;
      // Only now: a dialog holds the program up, and what moves must not wait for it.
      if (fault !== '') dialog.showErrorBox('Armature had a fault and has stopped', fault);
      app.exit(exitCode);
    });
  });
  // A fault of our own ends the program, but not before everything that moves was stopped.
  process.on('uncaughtException', (thrown) => {
    exitCode = exitCodes.failed;
    fault = describeFailure(thrown).text;
    app.quit();
  });
  for (const signal of stopSignals) process.on(signal, () => app.quit());
  void main();
}
