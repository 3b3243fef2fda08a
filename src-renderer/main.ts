import './shared/styles/fonts.css';
import './shared/styles/tokens.css';
import './shared/styles/base.css';
import './shared/styles/forced-colors.css';
import { startAppearance } from './shared/appearance.ts';
import { startApp } from './app/start-app.ts';
import { takeLaunchToken } from './link/connect/launch-token.ts';
import { findWhere } from './link/connect/where.ts';
import { desktopPort } from './shared/machine/desktop-port.ts';
import { connectPage } from './shared/machine/rpc/rpc-machine.ts';

const appearance = startAppearance();
// Before anything is waited for: the address may be another one by then.
const token = takeLaunchToken(window);
const where = desktopPort() === undefined ? await findWhere(window.location.href) : { isHub: false };
startApp(connectPage(where, token), appearance);
