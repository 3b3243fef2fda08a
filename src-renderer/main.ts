import './shared/styles/fonts.css';
import './shared/styles/tokens.css';
import './shared/styles/base.css';
import './shared/styles/forced-colors.css';
import './shared/styles/touch.css';
import { startAppearance } from './shared/appearance.ts';
import { startApp } from './app/start-app.ts';
import { takeLaunchToken } from './link/connect/launch-token.ts';
import { findPageServer } from './link/connect/where.ts';
import { desktopPort } from './shared/machine/desktop-port.ts';
import { connectPage } from './shared/machine/rpc/rpc-machine.ts';

const appearance = startAppearance();
// Before anything is awaited: the address may change meanwhile.
const token = takeLaunchToken(window);
const server = desktopPort() === undefined ? await findPageServer(window.location.href) : { isHub: false };
startApp(connectPage(server, token), appearance);
