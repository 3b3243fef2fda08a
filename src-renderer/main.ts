import './shared/styles/fonts.css';
import './shared/styles/tokens.css';
import './shared/styles/base.css';
import { startApp } from './app/start-app.ts';
import { startTheme } from './app/theme.ts';
import { connectMachine } from './shared/machine/rpc-machine.ts';

startApp(connectMachine(), startTheme());
