import './shared/styles/fonts.css';
import './shared/styles/tokens.css';
import './shared/styles/base.css';
import { startAppearance } from './app/appearance.ts';
import { startApp } from './app/start-app.ts';
import { connectMachine } from './shared/machine/rpc-machine.ts';

startApp(connectMachine(), startAppearance());
