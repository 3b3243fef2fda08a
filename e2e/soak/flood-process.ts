/**
 * A malicious caller without credentials. Runs in a separate process, so that its own cost is not mistaken for its
 * effect on others. Floods until its standard input ends.
 */
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { frameMessage } from '../../src-main/rpc/grpc/message-assembler.ts';

export const floods = [
  'gzip',
  'gzip-web',
  'watch',
  'uploads',
  'silent',
  'headers',
  'unread-page',
  'half-requests',
  'upgrades',
] as const;

export interface Flood {
  readonly kind: (typeof floods)[number];
  /** `http://localhost:PORT` or `https:` */
  readonly url: string;
}

const MEBIBYTE = 1024 * 1024;
const AUTHENTICATE = '/proto.rpc.v1.AuthService/Authenticate';
const WATCH = '/grpc.health.v1.Health/Watch';
const GRPC = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };

/** Delay before something that was closed is opened again. */
const AGAIN_MS = 200;

let open = 0;
let isOver = false;

/** Keeps `count` of something open: reopens what the other side closes, after a short delay. */
function keep(count: number, start: (ended: () => void) => void): void {
  const one = (): void => {
    if (isOver) return;
    open++;
    let hasEnded = false;
    start(() => {
      if (hasEnded) return;
      hasEnded = true;
      open--;
      setTimeout(one, AGAIN_MS);
    });
  };
  for (let index = 0; index < count; index++) one();
}

function sessions(url: string, count: number, use: (session: ClientHttp2Session) => void): void {
  keep(count, (ended) => {
    const session = connect(url, { rejectUnauthorized: false, maxSessionMemory: 1_000 });
    session.on('error', () => undefined).once('close', ended);
    session.once('connect', () => use(session));
  });
}

function streams(session: ClientHttp2Session, count: number, headers: OutgoingHttpHeaders, body: readonly Buffer[]) {
  for (let index = 0; index < count; index++) {
    if (session.closed || session.destroyed) return;
    const stream = session.request(headers, { endStream: false });
    stream.on('error', () => undefined);
    for (const part of body) stream.write(part);
  }
}

function sockets(url: string, count: number, use: (socket: Socket) => void, inTls = true): void {
  const { protocol, port } = new URL(url);
  keep(count, (ended) => {
    const socket =
      protocol === 'https:' && inTls
        ? connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false })
        : connectTcp(Number(port), '127.0.0.1');
    socket.on('error', () => undefined).once('close', ended);
    socket.once(protocol === 'https:' && inTls ? 'secureConnect' : 'connect', () => use(socket));
  });
}

const starts: Readonly<Record<Flood['kind'], (url: string) => void>> = {
  gzip: (url) => {
    const bomb = frameMessage(gzipSync(Buffer.alloc(32 * MEBIBYTE)), 1);
    const headers = { ...GRPC, ':path': AUTHENTICATE, 'grpc-encoding': 'gzip' };
    sessions(url, 4, (session) => streams(session, 50, headers, [bomb]));
  },
  'gzip-web': (url) => {
    const bomb = frameMessage(gzipSync(Buffer.alloc(32 * MEBIBYTE)), 1);
    const head = `POST ${AUTHENTICATE} HTTP/1.1\r\nhost: ${new URL(url).host}\r\ncontent-type: application/grpc-web+proto\r\ngrpc-encoding: gzip\r\ncontent-length: 10000000\r\n\r\n`;
    sockets(url, 100, (socket) => socket.write(Buffer.concat([Buffer.from(head), bomb])));
  },
  watch: (url) => {
    const headers = { ...GRPC, ':path': WATCH };
    sessions(url, 60, (session) => streams(session, 900, headers, [frameMessage(Buffer.alloc(0), 0)]));
  },
  uploads: (url) => {
    const part = Buffer.alloc(MEBIBYTE);
    const start = Buffer.alloc(5);
    start.writeUInt32BE(31 * MEBIBYTE, 1);
    sessions(url, 10, (session) => {
      session.setLocalWindowSize(MEBIBYTE);
      streams(session, 60, { ...GRPC, ':path': AUTHENTICATE }, [start, part]);
    });
  },
  silent: (url) => sockets(url, 1_030, () => undefined, false),
  headers: (url) => {
    // As many as are accepted, and more: the first are held, the others only read.
    const filler = (count: number): OutgoingHttpHeaders =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'a'.repeat(3_800)]));
    sessions(url, 30, (session) => {
      streams(session, 450, { ...GRPC, ':path': WATCH, ...filler(2) }, []);
      streams(session, 450, { ...GRPC, ':path': WATCH, ...filler(15) }, []);
    });
  },
  'unread-page': (url) => {
    const request = `GET /healthz/ready HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\nGET / HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`;
    sockets(url, 100, (socket) => void socket.pause().write(request.repeat(100)));
    sessions(url, 10, (session) => {
      session.setLocalWindowSize(65_535);
      for (let index = 0; index < 900; index++) {
        session.request({ ':path': '/' }, { endStream: true }).on('error', () => undefined);
      }
    });
  },
  'half-requests': (url) => {
    const head = `GET / HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx: `;
    sockets(url, 300, (socket) => socket.write(head + 'a'.repeat(60 * 1024)));
  },
  upgrades: (url) => {
    const { host } = new URL(url);
    const head = `GET /channel HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: armature.v1, armature.token.a.b.c\r\n\r\n`;
    sockets(url, 900, (socket) => socket.write(head));
  },
};

if (process.argv[2] !== undefined) {
  const { kind, url } = JSON.parse(process.argv[2]) as Flood;
  process.stdin.resume().once('end', () => {
    isOver = true;
    process.exit(0);
  });
  starts[kind](url);
  setInterval(() => process.stdout.write(`${open}\n`), 500);
}
