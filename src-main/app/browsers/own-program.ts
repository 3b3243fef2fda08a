import { findPeerSocket } from '../../rpc/port/tcp-table.ts';
import type { Connection } from '../../rpc/call.ts';

/**
 * Whether a connection comes from a program on this computer that runs as the same user as this one, or as root. False
 * if the system does not tell whose a connection is.
 */
export async function isOwnProgram(connection: Connection): Promise<boolean> {
  if (!connection.isLoopback) return false;
  const other = await findPeerSocket(connection);
  if (other === undefined || other === 'unknown') return false;
  return other.uid === process.geteuid?.() || other.uid === 0;
}
