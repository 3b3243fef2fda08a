import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { protocol } from 'electron';
import { contentTypeOf, requestedPath, SECURITY_HEADERS } from '../../rpc/port/static-files.ts';

export const PAGE_SCHEME = 'armature';
export const PAGE_ADDRESS = `${PAGE_SCHEME}://app/`;

/** Must run before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the built page from `folder`, and nothing outside it. */
export function servePage(folder: string): void {
  protocol.handle(PAGE_SCHEME, async (request) => {
    const wanted = requestedPath(new URL(request.url).pathname);
    if (wanted === undefined) return new Response('no such file', { status: 404 });
    // A path within the page is not a file: the page itself knows what to show there.
    const file = path.join(folder, path.extname(wanted) === '' ? 'index.html' : wanted);
    try {
      return new Response(new Uint8Array(await readFile(file)), {
        headers: { ...SECURITY_HEADERS, 'content-type': contentTypeOf(file) },
      });
    } catch {
      return new Response(`no such file: ${wanted}`, { status: 404 });
    }
  });
}
