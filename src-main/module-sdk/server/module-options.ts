import { environmentVariable } from '../../base/dialect.ts';
import { ArmatureError } from '../../base/errors.ts';
import { logLevels, type LogLevel } from '../../base/logger.ts';
import type { PeerAddress } from '../../rpc/peer/peer.ts';

/** How a machine starts a module: command-line arguments and environment variables. */
export interface ModuleOptions {
  /** The address to listen on. */
  readonly address: PeerAddress;
  readonly logLevel: LogLevel;
  /** The configured name, for its own log lines. */
  readonly name: string;
  /** Whether to call the machine back; a module that is tested on its own has no machine. */
  readonly hasParent: boolean;
}

/**
 * Reads the command-line arguments: the address first, then `--log-level=LEVEL`, `--tcp-mode`. All others are left to
 * the author.
 * @throws {ArmatureError} `call.bad_argument`
 */
export function readModuleOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ModuleOptions {
  const given = args[0]?.startsWith('-') === false ? args[0] : environmentVariable('MODULE_ADDRESS', environment);
  if (given === undefined || given === '') {
    throw new ArmatureError(
      'call.bad_argument',
      'This is a module of a machine, which starts it with the path of a socket. Name this file as the executable_path of a local module, or start it by hand with a path.',
    );
  }
  return {
    address: moduleAddress(given, args.includes('--tcp-mode')),
    logLevel: levelIn(args),
    name: environmentVariable('MODULE_NAME', environment) ?? 'module',
    hasParent: environmentVariable('NO_MODULE_PARENT', environment)?.toLowerCase() !== 'true',
  };
}

/**
 * Reads an address: a path, or `host:port`.
 * @param isTcp whether it must be `host:port`
 * @throws {ArmatureError} `call.bad_argument`
 */
export function moduleAddress(text: string, isTcp: boolean): PeerAddress {
  const plain = text.replace(/^unix:(\/\/)?/, '');
  const match = /^\[?([^/\]]*)\]?:(\d{1,5})$/.exec(plain);
  const port = Number(match?.[2] ?? 0);
  if (match !== null && port > 0 && port < 65_536) return { kind: 'tcp', host: match[1] || '127.0.0.1', port };
  if (isTcp) throw new ArmatureError('call.bad_argument', `"${text}" is no address; with --tcp-mode write host:port.`);
  return { kind: 'unix', path: plain };
}

function levelIn(args: readonly string[]): LogLevel {
  const given = args.findLast((arg) => arg.startsWith('--log-level='))?.slice('--log-level='.length);
  if (given === undefined || given === '') return 'info';
  const lower = given.toLowerCase();
  const level = logLevels.find((one) => one === (lower === 'warning' ? 'warn' : lower));
  if (level !== undefined) return level;
  throw new ArmatureError('call.bad_argument', `--log-level is "${given}"; it takes ${logLevels.join(', ')}.`);
}
