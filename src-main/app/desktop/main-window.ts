import path from 'node:path';
import { BrowserWindow, shell } from 'electron';
import { PAGE_ADDRESS } from './page-protocol.ts';
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
  // The page asks to stay while something is unsaved; its draft is kept, and a window that will not close holds nobody up.
  window.webContents.on('will-prevent-unload', (event) => event.preventDefault());
  window.webContents.session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  void window.loadURL(PAGE_ADDRESS);
  return window;
}
