import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import os from 'node:os';
import path from 'node:path';
import type { PeerAddress } from '../peer/peer.ts';

/** What a server of a test does with one call. */
export type Script = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** A server on a Unix socket whose answers a test writes frame by frame. */
export class FrameServer {
  readonly #server: Http2Server = createServer();
  readonly #folder: string;
  readonly sessions: ServerHttp2Session[] = [];
  /** Heads of the calls that came. */
  readonly seen: IncomingHttpHeaders[] = [];
  /** Answers by path; without a script a call gets back what it sends. */
  readonly scripts = new Map<string, Script>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server.on('session', (session) => this.sessions.push(session));
    this.#server.on('stream', (stream, headers) => {
      this.seen.push(headers);
      stream.on('error', () => undefined);
      (this.scripts.get(headers[':path'] ?? '') ?? mirror)(stream, headers);
    });
  }

  static async start(): Promise<FrameServer> {
    const server = new FrameServer(await mkdtemp(path.join(os.tmpdir(), 'armature-peer-')));
    server.#server.listen(server.socket);
    await once(server.#server, 'listening');
    return server;
  }

  get socket(): string {
    return path.join(this.#folder, 'module.sock');
  }

  get address(): PeerAddress {
    return { kind: 'unix', path: this.socket };
  }

  /** Takes no further connections; those that are there stay. */
  async listenNoMore(): Promise<void> {
    await rm(this.socket);
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const session of this.sessions) session.destroy();
    await rm(this.#folder, { recursive: true });
  }
}

/** Begins an answer that ends with these trailers once the stream is ended. */
export function respond(
  stream: ServerHttp2Stream,
  trailers: OutgoingHttpHeaders,
  headers: OutgoingHttpHeaders = {},
): void {
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...headers }, { waitForTrailers: true });
}

function mirror(stream: ServerHttp2Stream): void {
  respond(stream, { 'grpc-status': '0', 'x-tail': 'down' }, { 'x-head': 'up' });
  stream.pipe(stream);
}
