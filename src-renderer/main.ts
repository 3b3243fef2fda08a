import './shared/styles/fonts.css';
import './shared/styles/tokens.css';
import './shared/styles/base.css';
import './shared/styles/forced-colors.css';
import './shared/styles/touch.css';
import { loadFonts, startAppearance } from './shared/appearance.ts';
import { takeLaunchToken } from './link/connect/launch-token.ts';
import { findPageServer } from './link/connect/where.ts';
import { desktopPort } from './shared/machine/desktop-port.ts';

const appearance = startAppearance();
// Before anything is awaited: the address may change meanwhile.
const token = takeLaunchToken(window);

/** Each part is evaluated in a task of its own: the page can draw between them. */
async function start(): Promise<void> {
  const [server, { connectPage }, { startApp }] = await Promise.all([
    desktopPort() === undefined ? findPageServer(window.location.href) : { isHub: false },
    import('./shared/machine/rpc/rpc-machine.ts'),
    import('./app/start-app.ts'),
    import('./shared/text.ts'),
    import('./shared/builtin-models.ts'),
    loadFonts(),
  ]);
  startApp(connectPage(server, token), appearance);
}

// In a task of its own: the browser also finishes the document in the one that runs this file. Not awaited: those parts
// import what this file has, and would wait for it.
setTimeout(() => void start());
