import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { dropListeners, onError } from './drop-listeners.ts';

it('leaves a closed stream of either side with nothing but the listener for errors', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    const ours = session.request();
    const [theirs] = (await once(server, 'stream')) as [ServerHttp2Stream];
    const closed = [ours, theirs].map((stream) => once(stream, 'close'));
    ours.resume();
    theirs.respond();
    theirs.end();
    await Promise.all(closed);
    for (const stream of [ours, theirs]) {
      stream.on('data', () => undefined);
      dropListeners(stream);
      expect(stream.eventNames()).toEqual(['error']);
      expect(stream.listeners('error')).toEqual([onError]);
    }
  } finally {
    session.close();
    server.close();
  }
});
