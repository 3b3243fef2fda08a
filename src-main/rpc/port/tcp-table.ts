import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import os from 'node:os';

/** Both addresses of a TCP connection within this computer, as seen from our end. */
export interface SocketAddresses {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** The socket at the other end of a connection, as the kernel knows it. */
export interface PeerSocket {
  /** Its inode, as in `/proc/<pid>/fd`. */
  readonly inode: string;
  /** Its owner. */
  readonly uid: number;
}

/** The kernel's lists of connections (proc_net_tcp in the kernel's documentation); IPv4 is in the second as well. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'] as const;
/** Fields of a line of them. */
const LOCAL = 1;
const REMOTE = 2;
const UID = 7;
const INODE = 9;

/**
 * Finds the socket at the other end of a connection over loopback.
 * @returns undefined if that is closed, or on another computer; `unknown` if the system has no such list
 */
export async function findPeerSocket(connection: SocketAddresses): Promise<PeerSocket | 'unknown' | undefined> {
  const tables = await Promise.all(TABLES.map((table) => readFile(table, 'latin1').catch(() => undefined)));
  if (tables.every((table) => table === undefined)) return 'unknown';
  const here = spellings(connection.localAddress, connection.localPort);
  const there = spellings(connection.remoteAddress, connection.remotePort);
  for (const line of tables.join('\n').split('\n')) {
    const fields = line.trim().split(/\s+/);
    const inode = fields[INODE] ?? '0';
    // A socket that no process holds has no inode.
    if (inode === '0' || !there.includes(fields[LOCAL] ?? '') || !here.includes(fields[REMOTE] ?? '')) continue;
    return { inode, uid: Number(fields[UID]) };
  }
  return undefined;
}

/** An address of loopback and a port as the kernel writes them: words of four bytes, as this processor has them. */
function spellings(address: string | undefined, port: number | undefined): readonly string[] {
  const plain = address?.replace(/^::ffff:/, '') ?? '';
  if (port === undefined) return [];
  const at = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  if (plain === '::1') return [`${'0'.repeat(24)}${word([0, 0, 0, 1])}${at}`];
  if (!isIPv4(plain)) return [];
  const four = word(plain.split('.').map(Number));
  return [four + at, `${'0'.repeat(16)}${word([0, 0, 0xff, 0xff])}${four}${at}`];
}

function word(bytes: readonly number[]): string {
  return Buffer.from(os.endianness() === 'LE' ? bytes.toReversed() : bytes)
    .toString('hex')
    .toUpperCase();
}
