import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { protocol } from 'electron';

export const PAGE_SCHEME = 'armature';
export const PAGE_ADDRESS = `${PAGE_SCHEME}://app/`;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** No remote content at all: the page talks through its message port. Styles: the editor adds its own. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Must run before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the built page from `folder`, and nothing outside it. */
export function servePage(folder: string): void {
  const root = path.resolve(folder);
  protocol.handle(PAGE_SCHEME, async (request) => {
    const { pathname } = new URL(request.url);
    const wanted = path.resolve(root, `.${decodeURIComponent(pathname)}`);
    const isInside = wanted === root || wanted.startsWith(root + path.sep);
    const file = isInside && path.extname(wanted) !== '' ? wanted : path.join(root, 'index.html');
    try {
      return new Response(new Uint8Array(await readFile(file)), {
        headers: {
          'content-type': types[path.extname(file)] ?? 'application/octet-stream',
          'content-security-policy': contentSecurityPolicy,
          'x-content-type-options': 'nosniff',
        },
      });
    } catch {
      return new Response(`no such file: ${pathname}`, { status: 404 });
    }
  });
}
