import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';

/** Why a file may not be read and written. */
export interface Refusal {
  /** Group of the file; '' where it is root's, or the group may not either. */
  readonly group: string;
  /** The user is in that group, but was not yet when this program was started. */
  readonly isMember: boolean;
}

/** What is read of `/dev`, `/sys` and `/etc`: files of the kernel, in memory, so reading them waits for nothing. */
export interface DeviceFiles {
  readonly platform: NodeJS.Platform;
  /** Of whoever runs this program; `$USER`, for a shell to fill in, where that has no name. */
  readonly user: string;
  /** Names in a folder as people count them; none where there is no such folder. */
  names(folder: string): readonly string[];
  exists(path: string): boolean;
  /** Text of a file without what ends it; '' where it cannot be read. */
  text(path: string): string;
  /** The path without links; '' where it leads nowhere. */
  target(path: string): string;
  /** Undefined where it may be read and written. */
  refusal(path: string): Refusal | undefined;
}

const groupMayBoth = 0o060;

/** Those of this computer. */
export const deviceFiles: DeviceFiles = {
  platform: process.platform,
  user: userName(),
  names: (folder) => orElse([], () => readdirSync(folder).sort(new Intl.Collator('en', { numeric: true }).compare)),
  exists: existsSync,
  text: (path) => orElse('', () => readFileSync(path, 'utf8').replace(/[\0\s]+$/, '')),
  target: (path) => orElse('', () => realpathSync(path)),
  refusal(path) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
      return undefined;
    } catch {
      return orElse({ group: '', isMember: false }, () => refusalOf(path));
    }
  },
};

function refusalOf(path: string): Refusal {
  const { gid, mode } = statSync(path);
  const isForGroup = gid !== 0 && (mode & groupMayBoth) === groupMayBoth;
  const lines = readFileSync('/etc/group', 'utf8').split('\n');
  const [group = '', , , members = ''] =
    lines.map((line) => line.split(':')).find(([, , number]) => Number(number) === gid) ?? [];
  return { group: isForGroup ? group : '', isMember: members.split(',').includes(userName()) };
}

function userName(): string {
  const name = orElse('', () => os.userInfo().username);
  return /^[A-Za-z_][\w.-]*$/.test(name) ? name : '$USER';
}

/** What cannot be read is as if it were not there: saying what is missing is the task. */
function orElse<T>(other: T, read: () => T): T {
  try {
    return read();
  } catch {
    return other;
  }
}
