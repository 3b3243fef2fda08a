import { once } from 'node:events';
import { connect as connectHttp2, performServerHandshake, type ServerHttp2Session } from 'node:http2';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { isHyperH2, OrderedSocket } from './ordered-socket.ts';
import { FrameOrderError } from '../grpc/stream-order.ts';

/** What a client of hyper-h2 4.4.1 begins with: its preface, and SETTINGS with number 8. */
const hyperH2 = Buffer.from(
  '505249202a20485454502f322e300d0a0d0a534d0d0a0d0a' +
    '00002a04000000000000010000100000020000000100040000ffff000500004000000800000000000300000064000600010000',
  'hex',
);

describe('who begins a connection', () => {
  it('is hyper-h2 by its settings, once these are whole', () => {
    expect(isHyperH2(hyperH2)).toBe(true);
    for (let length = 0; length < hyperH2.length; length++)
      expect(isHyperH2(hyperH2.subarray(0, length))).toBeUndefined();
  });

  it('is not: nghttp2, and what is no HTTP/2', async () => {
    const sent: Buffer[] = [];
    const wire = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        sent.push(chunk);
        done();
        wire.emit('sent');
      },
    });
    const session = connectHttp2('http://localhost', { createConnection: () => wire });
    while (isHyperH2(Buffer.concat(sent)) === undefined) await once(wire, 'sent');
    expect(isHyperH2(Buffer.concat(sent))).toBe(false);
    session.destroy();
    expect(isHyperH2(Buffer.from('GET / HTTP/1.1\r\n'))).toBe(false);
  });
});

describe('a connection on which two threads open streams', () => {
  const clock = new ManualClock();
  let server: Server;
  let client: Socket;
  let ordered: OrderedSocket;
  let session: ServerHttp2Session;
  let opened: string[];
  let refused: Error | undefined;

  beforeEach(async () => {
    opened = [];
    refused = undefined;
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    const [socket] = await accepted;
    socket.on('error', () => undefined);
    ordered = new OrderedSocket(socket, clock, (error) => (refused = error));
    session = performServerHandshake(ordered);
    session.on('error', () => undefined);
    session.on('stream', (stream, headers) => {
      opened.push(`${stream.id} ${headers[':path']}`);
      stream.respond({ ':status': 200 });
      stream.end('x'.repeat(100_000));
      session.emit('opened');
    });
  });

  afterEach(() => {
    client.destroy();
    session.destroy();
    server.close();
  });

  /** A GET of `/`, or of `/index.html`, at `a`, by the static table (RFC 7541, A). */
  const get = (stream: number, path: '/' | '/index.html'): Buffer => {
    const fields = [0x82, 0x86, path === '/' ? 0x84 : 0x85, 0x01, 0x01, 0x61];
    return Buffer.from([0, 0, fields.length, 1, 0x5, 0, 0, 0, stream, ...fields]);
  };

  it('serves them in the order of their numbers, and answers whole', async () => {
    client.write(Buffer.concat([hyperH2, get(3, '/index.html'), get(1, '/')]));
    while (opened.length < 2) await once(session, 'opened');
    expect(opened).toEqual(['1 /', '3 /index.html']);
    let bytes = 0;
    client.on('data', (chunk: Buffer) => (bytes += chunk.length));
    // No window is opened: that of the connection, 64 KiB, is all that may be sent.
    while (bytes < 65_535) await once(client, 'data');
    client.end();
    await once(ordered, 'close');
  });

  it('after a second serves what waits for one that does not come, and closes when it comes after all', async () => {
    client.write(Buffer.concat([hyperH2, get(3, '/index.html')]));
    await vi.waitUntil(() => clock.pending > 0, { timeout: 5_000 });
    expect(opened).toEqual([]);
    clock.advance(1_000);
    while (opened.length < 1) await once(session, 'opened');
    const closed = Promise.all([once(session, 'close'), once(client, 'close')]);
    client.resume();
    client.write(get(1, '/'));
    await closed;
    expect(refused).toEqual(new FrameOrderError('stream 1 was opened after stream 3'));
    expect(opened).toEqual(['3 /index.html']);
  });

  it('a client that is gone takes nothing else along', async () => {
    client.write(Buffer.concat([hyperH2, get(1, '/')]));
    while (opened.length < 1) await once(session, 'opened');
    const closed = once(session, 'close');
    client.resetAndDestroy();
    await closed;
    expect(ordered.destroyed).toBe(true);
  });
});
