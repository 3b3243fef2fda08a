import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { limitUnanswered, missingReason } from '../index.js';

test.skipIf(missingReason() !== undefined)(
  'the kernel takes a limit for a connection of TCP, and for no other',
  async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      expect(limitUnanswered(socket, 9_500)).toBe(true);
      socket.destroy();
      expect(limitUnanswered(socket, 9_500)).toBe(false);
    } finally {
      socket.destroy();
      server.close();
    }
  },
);
