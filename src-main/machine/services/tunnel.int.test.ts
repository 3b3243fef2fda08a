import net from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { TunnelRequest } from '../../../proto/gen/core/robot/v1/robot.ts';
import { cancellableCall } from './streaming-call.fixture.ts';
import { openTunnel } from './tunnel.ts';

async function echoServer(): Promise<{ port: number; server: net.Server }> {
  const server = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as net.AddressInfo).port, server };
}

async function* requests(port: number, ...texts: string[]): AsyncGenerator<TunnelRequest> {
  yield { destinationPort: port, data: new Uint8Array() };
  for (const text of texts) yield { destinationPort: 0, data: Buffer.from(text) };
}

async function read(stream: AsyncIterable<{ data: Uint8Array }>): Promise<string> {
  let text = '';
  for await (const { data } of stream) text += Buffer.from(data).toString();
  return text;
}

describe('RobotService/Tunnel', () => {
  it('carries bytes to a listed port and back', async () => {
    const { port, server } = await echoServer();
    const endpoints = [{ port, connectionTimeoutMs: 1_000 }];
    const text = await read(
      openTunnel(requests(port, 'hello ', 'x'.repeat(100_000)), cancellableCall().call, endpoints),
    );
    expect(text).toBe(`hello ${'x'.repeat(100_000)}`);
    server.close();
  });

  it('refuses a port that is not listed, and names those that are', async () => {
    const endpoints = [{ port: 9_000, connectionTimeoutMs: 1_000 }];
    const stream = openTunnel(requests(22), cancellableCall().call, endpoints);
    await expect(read(stream)).rejects.toThrow('Port 22 is not open for tunnels; 9000');
  });

  it('says that nobody listens', async () => {
    const { port, server } = await echoServer();
    server.close();
    await once(server, 'close');
    const stream = openTunnel(requests(port), cancellableCall().call, [{ port, connectionTimeoutMs: 1_000 }]);
    await expect(read(stream)).rejects.toMatchObject({ code: 'hardware.unavailable' });
  });
});
