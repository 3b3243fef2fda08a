import path from 'node:path';
import { BrowserWindow, dialog, shell } from 'electron';
import { PAGE_ADDRESS } from './page-protocol.ts';
import { refusePermissions } from './permissions.ts';
import type { WindowBounds } from './preferences.ts';

/** Opens the window. The page is sandboxed, isolated, and can go nowhere else. */
export function openMainWindow(preload: string, bounds: WindowBounds): BrowserWindow {
  const window = new BrowserWindow({
    ...bounds,
    minWidth: 900,
    minHeight: 600,
    title: 'Armature',
    show: false,
    webPreferences: {
      preload: path.resolve(preload),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      // Heartbeats of the safety session must not slow down while the window is covered.
      backgroundThrottling: false,
    },
  });
  window.once('ready-to-show', () => window.show());
  window.webContents.setWindowOpenHandler(({ url }) => {
    if (url.startsWith('https://')) void shell.openExternal(url);
    return { action: 'deny' };
  });
  window.webContents.on('will-navigate', (event, url) => {
    if (!url.startsWith(PAGE_ADDRESS)) event.preventDefault();
  });
  guardClosing(window);
  refusePermissions(window.webContents.session);
  void window.loadURL(PAGE_ADDRESS);
  return window;
}

/**
 * The page asks to stay while it has unapplied changes. Closing then asks the
 * person, without blocking: the machine must not wait for an
 * answer. A reload goes ahead: the page keeps its draft.
 */
function guardClosing(window: BrowserWindow): void {
  let isClosing = false;
  let isAsking = false;
  window.on('close', () => (isClosing = true));
  window.webContents.on('will-prevent-unload', (event) => {
    if (!isClosing) {
      event.preventDefault();
      return;
    }
    isClosing = false;
    if (isAsking) return;
    isAsking = true;
    void dialog
      .showMessageBox(window, {
        type: 'question',
        message: 'Close with changes that are not applied?',
        detail:
          'They are kept on this computer, all but secrets that were typed, and are back when the window is opened again.',
        buttons: ['Back to editing', 'Close'],
        defaultId: 0,
        cancelId: 0,
      })
      .then(({ response }) => {
        isAsking = false;
        if (response === 1) window.destroy();
      });
  });
}
