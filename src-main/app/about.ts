import type { IncomingMessage, ServerResponse } from 'node:http';
import { version } from './version.ts';

/** Where a page learns which program served it; needs no token and reveals nothing secret. */
export const ABOUT_PATH = '/about.json';

/** How people authenticate. */
type SignIn = 'launch-token' | 'api-key';

const ways: Readonly<Record<'machine' | 'hub', readonly SignIn[]>> = {
  machine: ['launch-token', 'api-key'],
  // This program was not started for the person at the page.
  hub: ['api-key'],
};

/** Answers {@link ABOUT_PATH}: `{"kind", "version", "signIn"}` (docs/contributor/hub-access.md, "Ways into a hub"). */
export function answerAbout(request: IncomingMessage, response: ServerResponse, kind: 'machine' | 'hub'): void {
  request.resume();
  const text = `${JSON.stringify({ kind, version, signIn: ways[kind] })}\n`;
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
