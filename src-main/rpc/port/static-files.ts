import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Stats } from 'node:fs';
import type { Logger } from '../../base/logger.ts';
import { answerText } from './http-routes.ts';

export interface StaticFilesOptions {
  /** Folder of the page; undefined when there is none. */
  readonly root: string | undefined;
  readonly logger: Logger;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** The content type of a file, by its name. */
export function contentTypeOf(path: string): string {
  return contentTypes[extname(path).toLowerCase()] ?? 'application/octet-stream';
}

/** The page runs its own scripts, talks to its own origin, and must not be framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every file of the page. */
export const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Names that the bundler derives from content: such a file never changes. */
const HASHED = /^assets\/.*[-.][\w-]{8,}\.\w+$/;

const NOT_BUILT = 'The page is not built yet: run "npm run build", then load this address again.\n';

interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** Path below the root, separated by `/`. */
  readonly path: string;
}

/** Serves the files of one folder, and nothing outside of it. */
export class StaticFiles {
  readonly #options: StaticFilesOptions;

  constructor(options: StaticFilesOptions) {
    this.#options = options;
  }

  /** Takes a request; the answer follows by itself. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#answer(request, response).catch((thrown: unknown) => {
      this.#options.logger.warn('A file of the page could not be sent.', {
        url: request.url,
        error: thrown instanceof Error ? thrown.message : String(thrown),
      });
      if (response.headersSent) response.destroy();
      else answerText(request, response, 500, 'The file could not be read; the log says why.\n');
    });
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      answerText(request, response, 405, 'Files are read with GET or HEAD; calls are POST with a gRPC content type.\n');
      return;
    }
    const root = this.#options.root === undefined ? undefined : await realpathOrUndefined(this.#options.root);
    const path = requestedPath(request.url ?? '/');
    const file = root === undefined || path === undefined ? undefined : await this.#find(root, path, request);
    if (file === undefined) {
      const isMissingPage = path === '' || (path !== undefined && isNavigation(request, path));
      answerText(request, response, 404, isMissingPage ? NOT_BUILT : 'There is no such file.\n');
      return;
    }
    try {
      await send(file, request, response);
    } finally {
      await file.handle.close();
    }
  }

  async #find(root: string, path: string, request: IncomingMessage): Promise<OpenFile | undefined> {
    const found = await openFile(root, path);
    // A path within the page is not a file: the page itself knows what to show there.
    return found === undefined && isNavigation(request, path) ? openFile(root, 'index.html') : found;
  }
}

/** The path of a request below the root, without a leading slash; undefined if it cannot name one of our files. */
export function requestedPath(url: string): string | undefined {
  const raw = url.split(/[?#]/, 1)[0] as string;
  let path: string;
  try {
    path = decodeURIComponent(raw);
  } catch {
    // Broken escapes name no file.
    return undefined;
  }
  if (!path.startsWith('/') || path.includes('\0') || path.includes('\\')) return undefined;
  const parts = path.split('/').filter((part) => part !== '');
  // Dots at the start: neither parent folders nor hidden files.
  return parts.some((part) => part.startsWith('.')) ? undefined : parts.join('/');
}

function isNavigation(request: IncomingMessage, path: string): boolean {
  return extname(path) === '' && (request.headers.accept?.includes('text/html') ?? false);
}

async function realpathOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    // A path that cannot be resolved cannot be served: the caller answers 404.
    return undefined;
  }
}

/** Opens a file, or a folder's index.html, unless a link leads out of the root. */
async function openFile(root: string, path: string): Promise<OpenFile | undefined> {
  const real = await realpathOrUndefined(join(root, path));
  if (real === undefined || (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)))
    return undefined;
  // Without blocking, in case the name is a pipe.
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stats = await handle.stat();
  if (stats.isFile()) return { handle, stats, path };
  await handle.close();
  return stats.isDirectory() && !path.endsWith('index.html') ? openFile(root, join(path, 'index.html')) : undefined;
}

async function send(
  { handle, stats, path }: OpenFile,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const etag = `"${stats.size.toString(36)}-${Math.round(stats.mtimeMs).toString(36)}"`;
  const headers = {
    ...SECURITY_HEADERS,
    etag,
    'cache-control': HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (matches(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, {
    ...headers,
    'content-type': contentTypeOf(path),
    'content-length': stats.size,
  });
  if (request.method === 'HEAD' || stats.size === 0) {
    response.end();
    return;
  }
  // The length was already sent: a file that grows meanwhile is cut there.
  await pipeline(handle.createReadStream({ autoClose: false, end: stats.size - 1 }), response).catch(
    (thrown: unknown) => {
      // A caller that disconnects early is not a failure of ours.
      if ((thrown as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw thrown;
    },
  );
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
