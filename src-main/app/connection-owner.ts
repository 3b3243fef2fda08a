import { findPeerSocket, type SocketAddresses } from '../rpc/port/tcp-table.ts';

/**
 * Whose program is at the other end of a connection over loopback: of the user that this program runs as, or of root; of
 * another user, or closed meanwhile; or `unknown` if the system does not tell.
 */
export async function ownerOf(connection: SocketAddresses): Promise<'own' | 'other' | 'unknown'> {
  const socket = await findPeerSocket(connection);
  if (socket === 'unknown') return 'unknown';
  return socket !== undefined && (socket.uid === process.geteuid?.() || socket.uid === 0) ? 'own' : 'other';
}
