import { app, Menu, nativeImage, Tray, type MenuItemConstructorOptions } from 'electron';

export interface MenuActions {
  readonly show: () => void;
  readonly stopAll: () => void;
  readonly quit: () => void;
  readonly keepsRunningInTray: () => boolean;
  readonly setKeepRunningInTray: (isKept: boolean) => void;
}

/** The window's menu: the platform's own items, Stop all, and the tray choice. */
export function buildMenu(actions: MenuActions): Menu {
  const machine: MenuItemConstructorOptions[] = [
    { label: 'Stop all', accelerator: 'CommandOrControl+.', click: actions.stopAll },
    { type: 'separator' },
    {
      label: 'Keep running in the tray when the window is closed',
      type: 'checkbox',
      checked: actions.keepsRunningInTray(),
      click: (item) => actions.setKeepRunningInTray(item.checked),
    },
    { label: 'Quit Armature', accelerator: 'CommandOrControl+Q', click: actions.quit },
  ];
  const template: MenuItemConstructorOptions[] = [
    { label: process.platform === 'darwin' ? app.name : 'Machine', submenu: machine },
    { role: 'editMenu' },
    { role: 'viewMenu' },
    { role: 'windowMenu' },
  ];
  return Menu.buildFromTemplate(template);
}

/** The tray icon, shown only while the user has chosen to keep running there. */
export function buildTray(icon: string, actions: MenuActions): Tray {
  const tray = new Tray(nativeImage.createFromPath(icon));
  tray.setToolTip('Armature is running this machine');
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: 'Show window', click: actions.show },
      { label: 'Stop all', click: actions.stopAll },
      { type: 'separator' },
      { label: 'Quit (stops everything that moves)', click: actions.quit },
    ]),
  );
  tray.on('click', actions.show);
  return tray;
}
