/** The desktop program: a station in Electron's main process, and a window on it. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, dialog, ipcMain, Menu, type BrowserWindow, type Tray } from 'electron';
import { buildMenu, buildTray, type MenuActions } from './app/desktop/menu.ts';
import { openMainWindow } from './app/desktop/main-window.ts';
import { PAGE_ADDRESS, registerPageScheme, servePage } from './app/desktop/page-protocol.ts';
import { readPreferences, writePreferences, type Preferences } from './app/desktop/preferences.ts';
import { ensureStarterConfig, homeFolder } from './app/home.ts';
import type { Station } from './app/station.ts';
import { stopSignals } from './app/stop-signals.ts';
import { ArmatureError } from './base/errors.ts';
import type { LogRegistry } from './machine/logging/log-registry.ts';
import { exitCodes, type ExitCode } from './machine/options/exit-codes.ts';
import { parseOptions } from './machine/options/parse-options.ts';
import { readServerEnvironment } from './machine/options/server-environment.ts';
import { SHUTDOWN_LIMIT_MS } from './app/program-end.ts';
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
let logs: LogRegistry | undefined;
let stopping: Promise<void> | undefined;
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

/** The menu's emergency stop. What did not confirm is said, without holding the program up. */
async function stopAll(): Promise<void> {
  try {
    await station?.stopAll();
  } catch (thrown) {
    await dialog.showMessageBox({
      type: 'error',
      message: 'Not everything stopped',
      detail: describeFailure(thrown).text,
    });
  }
}

const actions: MenuActions = {
  show: showWindow,
  stopAll: () => void stopAll(),
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

/** @throws {ArmatureError} for options that cannot be run, and as {@link Station.listen} does */
async function startStation(): Promise<Station> {
  const given = process.argv.slice(app.isPackaged ? 1 : 2);
  const hasConfig = given.some((argument) => /^--?config(=|$)/.test(argument));
  const args = hasConfig ? given : ['-config', await ensureStarterConfig(process.env), ...given];
  const parsed = parseOptions(args, process.env);
  const environment = readServerEnvironment(process.env);
  if (parsed.kind === 'usage-error') throw new ArmatureError('config.invalid', parsed.text);
  if (environment.kind === 'usage-error') throw new ArmatureError('config.invalid', environment.text);
  if (parsed.kind !== 'run' || parsed.options.dumpResourcesFile !== '') {
    const message = 'The desktop program takes no option that only prints: give it to "./armature server".';
    throw new ArmatureError('config.invalid', message);
  }
  const opened = openLogs(parsed.options, homeFolder(process.env));
  logs = opened;
  const started = createStation(parsed.options, environment.environment, opened, pageFolder, () => app.quit());
  await started.listen();
  // A failure here is the configuration's own and is in its state; the window shows it.
  void started.start().catch((thrown: unknown) => {
    opened.logger('core.machine').error(`The machine did not start: ${describeFailure(thrown).text}`);
  });
  return started;
}

/** Stops what moves, closes everything, and ends the program: the windows go last. */
async function stopAndExit(running: Station): Promise<void> {
  if (window !== undefined) remember({ bounds: window.getBounds() });
  const hung = setTimeout(() => app.exit(exitCodes.hungShutdown), SHUTDOWN_LIMIT_MS);
  try {
    await running.stop();
    await logs?.close();
  } catch (thrown) {
    exitCode = exitCodes.failed;
    fault ||= describeFailure(thrown).text;
  }
  clearTimeout(hung);
  // Only now: this dialog holds the program up, and what moves must not wait for it.
  if (fault !== '') dialog.showErrorBox('Armature had a fault and has stopped', fault);
  app.exit(exitCode);
}

async function main(): Promise<void> {
  await app.whenReady();
  try {
    station = await startStation();
  } catch (thrown) {
    const { text, exitCode: code } = describeFailure(thrown);
    dialog.showErrorBox('Armature cannot start', text);
    app.exit(code);
    return;
  }
  servePage(pageFolder);
  ipcMain.on('armature:connect', (event, part: unknown) => {
    const [port] = event.ports;
    if (port === undefined || event.senderFrame?.url.startsWith(PAGE_ADDRESS) !== true) return;
    void station?.connectWindow(port, typeof part === 'string' ? part : '');
  });
  Menu.setApplicationMenu(buildMenu(actions));
  updateTray();
  // A second start shows the first one's window. Not before there is a page to show.
  app.on('second-instance', showWindow);
  app.on('activate', showWindow);
  showWindow();
}

// One program, one machine.
if (!app.requestSingleInstanceLock()) {
  app.quit();
} else {
  registerPageScheme();
  app.on('window-all-closed', () => {
    if (!preferences.keepRunningInTray) app.quit();
  });
  // Before any window is asked to close: a page that hangs, or has something unsaved, must not keep a motor turning.
  app.on('before-quit', (event) => {
    if (station === undefined) return;
    event.preventDefault();
    stopping ??= stopAndExit(station);
  });
  // A fault of our own ends the program, but not before everything that moves was stopped.
  process.on('uncaughtException', (thrown) => {
    exitCode = exitCodes.failed;
    fault ||= describeFailure(thrown).text;
    if (station === undefined) app.exit(exitCode);
    else app.quit();
  });
  for (const signal of stopSignals) process.on(signal, () => app.quit());
  void main();
}
