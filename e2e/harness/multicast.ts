import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { encode } from 'dns-packet';

/** Group address of multicast DNS. */
export const GROUP = '224.0.0.251';
export const PORT = 5353;

/** Whether a packet sent to the group on loopback arrives there: some computers have no multicast. */
export async function hasMulticast(): Promise<boolean> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  try {
    socket.bind(PORT);
    await once(socket, 'listening');
    socket.addMembership(GROUP, '127.0.0.1');
    socket.setMulticastInterface('127.0.0.1');
    const heard = once(socket, 'message', { signal: AbortSignal.timeout(5_000) });
    socket.send(encode({ type: 'response' }), PORT, GROUP);
    await heard;
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}
