import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { requestedPath, StaticFiles } from './static-files.ts';

let folder: string;
let root: string;
let server: Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'armature-static-'));
  root = join(folder, 'page');
  mkdirSync(join(root, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(root, 'index.html'), '<!doctype html>index');
  writeFileSync(join(root, 'assets/app-3f2a1b9c.js'), 'run()');
  writeFileSync(join(root, 'notes.txt'), 'notes');
  writeFileSync(join(root, '.hidden'), 'hidden');
  server = createServer(new StaticFiles({ root, logger: silentLogger }).handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  const request = httpRequest({ host: '127.0.0.1', port, path, headers, method, agent: false });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode ?? 0, body, headers: response.headers };
}

const html = { accept: 'text/html,*/*' };

describe('static files', () => {
  it('have the right type, a strict policy, and are kept only where the name tells the content', async () => {
    const index = await ask('/');
    expect(index).toMatchObject({ status: 200, body: '<!doctype html>index' });
    expect(index.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(index.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    const script = await ask('/assets/app-3f2a1b9c.js?v=1');
    expect(script).toMatchObject({ status: 200, body: 'run()' });
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it('are not sent again while they are the same', async () => {
    const { etag } = (await ask('/notes.txt')).headers;
    expect(await ask('/notes.txt', { 'if-none-match': `"other", W/${etag}` })).toMatchObject({ status: 304, body: '' });
    utimesSync(join(root, 'notes.txt'), 1, 1);
    expect(await ask('/notes.txt', { 'if-none-match': etag ?? '' })).toMatchObject({ status: 200, body: 'notes' });
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/%00/../secret.txt',
    '//../secret.txt',
    '/.hidden',
    '/%E0%A4%A',
    '/%252e%252e/secret.txt',
  ])('are never found outside of their folder: %s', async (path) => {
    expect(await ask(path)).toMatchObject({ status: 404, body: 'There is no such file.\n' });
  });

  it('a path never leads out, whatever is asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('..', '.', '%2e', '%2E%2e', '/', '%2f', '\\', '%5c', 'a', '%00', '?', '#')),
        (parts) => {
          const path = requestedPath(`/${parts.join('')}`);
          if (path === undefined) return;
          expect(join('/root', path)).toMatch(/^\/root(\/|$)/);
          expect(path.split('/')).not.toContain('..');
        },
      ),
    );
  });

  it('links out of the folder are refused, links within are followed', async () => {
    symlinkSync(join(folder, 'secret.txt'), join(root, 'out.txt'));
    symlinkSync(folder, join(root, 'up'));
    symlinkSync(join(root, 'notes.txt'), join(root, 'in.txt'));
    expect((await ask('/out.txt')).status).toBe(404);
    expect((await ask('/up/secret.txt')).status).toBe(404);
    expect(await ask('/in.txt')).toMatchObject({ status: 200, body: 'notes' });
  });

  it('places within the page get the page, missing files do not', async () => {
    expect(await ask('/machine/left', html)).toMatchObject({ status: 200, body: '<!doctype html>index' });
    expect((await ask('/missing.js', html)).status).toBe(404);
    expect((await ask('/machine/left')).status).toBe(404);
  });

  it('are only read', async () => {
    const answer = await ask('/notes.txt', {}, 'POST');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(await ask('/notes.txt', {}, 'HEAD')).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': '5' },
    });
  });

  it('say what to do when the page is not built', async () => {
    rmSync(root, { recursive: true });
    expect(await ask('/', html)).toMatchObject({
      status: 404,
      body: expect.stringContaining('npm run build') as string,
    });
  });
});
