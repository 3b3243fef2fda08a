import { describe, expect, it } from 'vitest';
import { isLoopbackAddress, TrackedConnection } from './tracked-connection.ts';

describe('an address', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.8.7', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::ffff:192.168.1.2', false],
    ['192.168.1.127', false],
    ['127.0.0.1.example.com', false],
    ['::2', false],
    ['', false],
  ])('%s is this computer: %s', (address, isLoopback) => {
    expect(isLoopbackAddress(address)).toBe(isLoopback);
  });
});

describe('a connection', () => {
  it('tells its end once, to whoever still listens, and at once to whoever comes later', () => {
    const connection = new TrackedConnection(
      { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' },
      'grpc',
      false,
      true,
    );
    const told: string[] = [];
    connection.onClose(() => told.push('first'));
    connection.onClose(() => told.push('gone'))();
    connection.close();
    connection.close();
    connection.onClose(() => told.push('late'));
    expect(told).toEqual(['first', 'late']);
    expect(connection.isClosed).toBe(true);
  });
});
