import { chmodSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Connection } from '../../rpc/call.ts';
import { LocalServer } from '../../rpc/port/local-server.ts';
import type { Router } from '../../rpc/router.ts';
import { makeSocketFolder, removeStaleSockets, socketName } from './user-socket-folder.ts';

export interface UserSocketOptions {
  /** `SVC_HOME`. */
  readonly home: string;
  readonly configPath: string;
  /** TCP port of the same server: its callers know that one. */
  readonly port: number;
  readonly router: Router;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Lets the calls of a user in. */
  readonly trust: (connection: Connection, user: string) => void;
}

/** Longest path of a Unix socket that every system takes. */
const LONGEST_PATH = 103;

/**
 * A socket for the user that the server runs as, and for root. The operating system authenticates them: no other user
 * may enter the folder, nor open the socket (unix(7), "Pathname socket ownership and permissions").
 *
 * One server has one socket, named by its port and its configuration, so that servers with the same home use different
 * ones.
 * @returns undefined, after a line in the log, where there can be none: the machine serves without it
 */
export async function openUserSocket(options: UserSocketOptions): Promise<LocalServer | undefined> {
  const { home, configPath, port, router, clock, logger, trust } = options;
  // A named pipe of Windows does not identify its user.
  if (process.platform === 'win32') return undefined;
  try {
    const folder = makeSocketFolder(home);
    const socketPath = path.join(folder, socketName(port, configPath));
    if (Buffer.byteLength(socketPath) > LONGEST_PATH) {
      throw new ArmatureError(
        'file.unwritable',
        `${socketPath} is longer than the ${LONGEST_PATH} bytes that a socket may have`,
      );
    }
    await removeStaleSockets(folder, configPath);
    const username = nameOfUser();
    const server = await LocalServer.open({
      router,
      clock,
      logger,
      name: username,
      socketPath,
      admit: () => (connection) => trust(connection, username),
    });
    chmodSync(socketPath, 0o600);
    return server;
  } catch (thrown) {
    const reason = toArmatureError(thrown).message.replace(/\.$/, '');
    logger.warn(
      `There is no socket for commands of this computer (${reason}): they need an API key. Set SVC_HOME to a folder of this user with a short path.`,
    );
    return undefined;
  }
}

/** In a container the user often has a number alone. */
function nameOfUser(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `user ${process.geteuid?.() ?? 0}`;
  }
}
