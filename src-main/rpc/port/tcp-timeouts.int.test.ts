import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { applyTcpUserTimeout } from './tcp-timeouts.ts';

/** The two ends of a connection within this computer. */
async function ends(): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [[Socket], unknown];
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return [near, far];
}

it('limits a peer of another computer, and none of this one', async () => {
  const [near] = await ends();
  const limited: string[] = [];
  applyTcpUserTimeout(near, (_socket, ms) => void limited.push(`near ${ms}`));
  const elsewhere = Object.create(near, { remoteAddress: { value: '198.51.100.7' } }) as Socket;
  applyTcpUserTimeout(elsewhere, (_socket, ms) => void limited.push(`elsewhere ${ms}`));
  expect(limited).toEqual(['elsewhere 9500']);
});
