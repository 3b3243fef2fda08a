import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lchown } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ProcessCommand } from '../process/module-process.ts';
import { mountScript, mountSteps, isWithin } from './mount-script.ts';
import {
  checkMayRun,
  closedFolderAround,
  deviceGroupIds,
  giveTo,
  openPackages,
  accountOf,
  userOf,
  type ModuleUser,
} from './module-user.ts';

/** How modules can be isolated here, or why they cannot be. */
export type IsolationMethod =
  /** The server is root: a user for each module. */
  | { readonly kind: 'user' }
  /** The server runs as a normal user: the module has the same user, in separate namespaces. */
  | { readonly kind: 'namespace'; readonly uid: number; readonly gid: number }
  /** For people, without a full stop. */
  | { readonly kind: 'none'; readonly reason: string };

export type IsolationKind = IsolationMethod['kind'];

/** The folders of a module and its server. */
export interface ModuleFolders {
  /** The server's home; everything it stores is below it. */
  readonly home: string;
  /** Folder of the module's program. */
  readonly root: string;
  readonly data: string;
  /** Folder of the sockets of all starts, and folder of this start. */
  readonly allSockets: string;
  readonly sockets: string;
  /** Sockets in {@link sockets} that the module has to reach. */
  readonly socketFiles: readonly string[];
}

/** A command that runs a module in isolation, and the user it runs as. */
export interface ConfinedCommand {
  readonly command: ProcessCommand;
  /** Undefined: the server's own user. */
  readonly user: ModuleUser | undefined;
  readonly kind: IsolationKind;
}

/** In root's home: folders where people install languages, which modules do not bring along. */
const runtimeFolders = [
  ...['.pyenv', '.nvm', '.volta', '.asdf', '.local', '.cargo', '.rustup', '.rbenv', '.bun', '.deno', 'go'],
  ...['miniconda3', 'miniforge3', 'anaconda3'],
];

const run = promisify(execFile);
/** Time limit for a start on a busy computer. */
const PROBE_TIMEOUT_MS = 10_000;

const dropPrivileges = ['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
const ownMountNamespace = ['--mount', '--propagation', 'slave'];
const ownUserNamespace = ['--user', '--map-root-user', ...ownMountNamespace];

/** Programs of util-linux, which is part of every distribution. */
const UNSHARE = 'unshare';
const SETPRIV = 'setpriv';
const SHELL = '/bin/sh';

/** Tries it once. Never rejects. */
export async function findIsolation(): Promise<IsolationMethod> {
  if (process.platform !== 'linux' || process.getuid === undefined || process.getgid === undefined) {
    return { kind: 'none', reason: `${process.platform} has no means for it that are used here` };
  }
  const [uid, gid] = [process.getuid(), process.getgid()];
  const hide = 'mount -n -t tmpfs armature /tmp && exec "$@"';
  try {
    if (uid === 0) {
      const become = [SETPRIV, '--reuid', '65534', '--regid', '65534', '--clear-groups', ...dropPrivileges, 'true'];
      await run(UNSHARE, [...ownMountNamespace, SHELL, '-c', hide, 'sh', ...become], { timeout: PROBE_TIMEOUT_MS });
      return { kind: 'user' };
    }
    await run(UNSHARE, [...ownUserNamespace, SHELL, '-c', hide, 'sh', ...backToUser(uid, gid), 'true'], {
      timeout: PROBE_TIMEOUT_MS,
    });
    return { kind: 'namespace', uid, gid };
  } catch (thrown) {
    const { code, stderr = '', message } = thrown as Error & { code?: unknown; stderr?: string };
    const said = stderr.trim().split('\n')[0] ?? '';
    const reason = code === 'ENOENT' ? 'unshare and setpriv of util-linux are not installed' : said || message;
    return { kind: 'none', reason };
  }
}

/** From root of a user namespace back to the original user, in one more namespace: without rights over the mounts. */
function backToUser(uid: number, gid: number): string[] {
  return [UNSHARE, '--user', `--map-user=${uid}`, `--map-group=${gid}`, SETPRIV, '--no-new-privs'];
}

/**
 * Wraps a module's command so that it runs in isolation, and gives the module's own folders to its user. The process
 * that is started becomes the module: its id, its signals and its exit are the module's.
 * @param module name as configured
 * @throws {ArmatureError} `module.failed` if the module's user could not run it
 */
export async function confine(
  command: ProcessCommand,
  module: string,
  folders: ModuleFolders,
  method: IsolationMethod,
): Promise<ConfinedCommand> {
  const { executable, args } = command;
  if (method.kind === 'none') return { command, user: undefined, kind: 'none' };
  const { home, root, data, allSockets, sockets } = folders;
  const packages = path.join(home, 'packages');
  const hidden = [...hiddenAtHome(home, root), allSockets];
  const shownReadOnly = [packages, path.dirname(process.execPath)].filter((folder) => existsSync(folder));
  const shown = [root, data, sockets];
  if (method.kind === 'namespace') {
    const script = mountScript(mountSteps({ hidden, shown, shownReadOnly }), root);
    const become = [...backToUser(method.uid, method.gid), '--', executable, ...args];
    return {
      command: { ...command, executable: UNSHARE, args: [...ownUserNamespace, SHELL, '-c', script, 'sh', ...become] },
      user: undefined,
      kind: 'namespace',
    };
  }
  const user = await userOf(executable, home, module);
  await openPackages(packages);
  await checkMayRun(executable, root, user);
  await Promise.all([
    ...[sockets, ...folders.socketFiles].map((one) => lchown(one, user.uid, user.gid)),
    ...[data, ...(isWithin(root, packages) ? [root] : [])].map((one) => giveTo(one, user)),
  ]);
  shownReadOnly.push(...installedRuntimes());
  const closed = await Promise.all([...shown, ...shownReadOnly].map((needed) => closedFolderAround(needed, user)));
  // If the user has no access to a folder, a separate one is mounted that shows only what the module needs.
  hidden.push(...new Set(closed.filter((folder) => folder !== undefined)));
  const script = mountScript(mountSteps({ hidden, shown, shownReadOnly }), root);
  const groups = await deviceGroupIds();
  const become = [
    ...[SETPRIV, '--reuid', String(user.uid), '--regid', String(user.gid)],
    ...(groups.length === 0 ? ['--clear-groups'] : ['--groups', groups.join(',')]),
    ...dropPrivileges,
    ...['--', executable, ...args],
  ];
  return {
    command: {
      ...command,
      environment: { ...command.environment, ...(await personalVariables(command.environment, user, module, data)) },
      executable: UNSHARE,
      args: [...ownMountNamespace, SHELL, '-c', script, 'sh', ...become],
    },
    user,
    kind: 'user',
  };
}

/** Where this user has languages: in the user's home, and in the one that HOME names, which may differ. */
function installedRuntimes(): readonly string[] {
  const homes = new Set([os.homedir(), os.userInfo().homedir]);
  return [...homes].flatMap((home) => runtimeFolders.map((name) => path.join(home, name))).filter(existsSync);
}

/** Variables about the server's user, unless the module's configuration sets them. */
async function personalVariables(
  given: Readonly<Record<string, string>>,
  user: ModuleUser,
  module: string,
  data: string,
): Promise<Record<string, string>> {
  const person = user.isOwn ? undefined : await accountOf(user.uid);
  const { name, home } = person ?? { name: module, home: data };
  const personal = { HOME: home, USER: name, LOGNAME: name };
  const changed = Object.entries(personal).filter(
    ([key]) => given[key] === undefined || given[key] === process.env[key],
  );
  return Object.fromEntries(changed);
}

/** The whole home; if it is or contains the module's own folder, only the known folders in it. */
function hiddenAtHome(home: string, root: string): string[] {
  if (!isWithin(home, root)) return existsSync(home) ? [home] : [];
  const folders = ['hub', 'state', 'cloud', 'logs', 'module-data'];
  return folders.map((name) => path.join(home, name)).filter((folder) => existsSync(folder));
}
