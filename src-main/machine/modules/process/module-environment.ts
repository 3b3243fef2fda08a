import path from 'node:path';
import { environmentEntries } from '../../../base/dialect.ts';
import type { LogLevel } from '../../../base/logger.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The identity of the machine, for its modules. '' means unknown: that variable is left out. */
export interface MachineIdentity {
  readonly partId: string;
  readonly machineId: string;
  readonly fqdn: string;
  readonly locationId: string;
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly apiKey: string;
}

/** The inputs for a module's environment. */
export interface EnvironmentInputs {
  /** The server's environment. */
  readonly inherited: Environment;
  /** Folder of the Node that the server runs on; undefined if that is not a standalone Node (Electron). */
  readonly nodeFolder: string | undefined;
  readonly name: string;
  /** '' for a local module without one. */
  readonly moduleId: string;
  /** Folder of the module's files, and folder of its permanent data. */
  readonly root: string;
  readonly dataFolder: string;
  /** The server's home. */
  readonly home: string;
  /**
   * Address for the process to listen on: a path, or host and port. Undefined for its first run, which serves nothing.
   */
  readonly address: string | undefined;
  /** Go duration: `5m0s`. */
  readonly startupTimeout: string;
  readonly resourceTimeout: string;
  readonly identity: MachineIdentity;
  /** Whether it records spans and sends them here. */
  readonly isTracing: boolean;
  /** The `env` of the configuration; overrides everything else. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What a module inherits from the server's environment: where programs and libraries are, language and time, folders,
 * proxies, the screen. Everything else stays in the server, including any secrets it was started with. The module's
 * `env` can pass on more: `"X": "${environment.X}"`.
 */
const inheritedNames: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TERM'],
  ...['TMPDIR', 'TMP', 'TEMP', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'VIRTUAL_ENV', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'PULSE_SERVER'],
]);
const inheritedPrefixes = ['LC_', 'PYTHON', 'XDG_'];

/** The part of the server's environment that modules get. */
export function inheritedVariables(environment: Environment): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    if (inheritedNames.has(name) || inheritedPrefixes.some((prefix) => name.startsWith(prefix))) found[name] = value;
  }
  return found;
}

/** The complete environment of a module's process: each of our variables under both its names. */
export function moduleEnvironment(facts: EnvironmentInputs): Record<string, string> {
  const { identity } = facts;
  const ours: readonly (readonly [string, string | undefined])[] = [
    ['HOME', facts.home],
    ['MODULE_NAME', facts.name],
    ['MODULE_ID', facts.moduleId],
    ['MODULE_ROOT', facts.root],
    ['MODULE_DATA', facts.dataFolder],
    ['MODULE_ADDRESS', facts.address],
    ['MODULE_STARTUP_TIMEOUT', facts.startupTimeout],
    ['RESOURCE_CONFIGURATION_TIMEOUT', facts.resourceTimeout],
    ['MODULE_TRACING', facts.isTracing ? '1' : ''],
    ['API_KEY', identity.apiKey],
    ['API_KEY_ID', identity.apiKeyId],
    ['MACHINE_PART_ID', identity.partId],
    ['MACHINE_ID', identity.machineId],
    ['MACHINE_FQDN', identity.fqdn],
    ['LOCATION_ID', identity.locationId],
    ['PRIMARY_ORG_ID', identity.organizationId],
  ];
  const environment = inheritedVariables(facts.inherited);
  // A module written for Node finds one that is known to be new enough, whatever the computer has.
  if (facts.nodeFolder !== undefined) {
    environment['PATH'] = [facts.nodeFolder, environment['PATH'] ?? '']
      .filter((one) => one !== '')
      .join(path.delimiter);
  }
  for (const [name, value] of ours) {
    if (value !== undefined && value !== '') Object.assign(environment, environmentEntries(name, value));
  }
  return { ...environment, ...facts.env };
}

/** The folder of `node`, for modules that run on the same Node as this program. */
export function nodeFolderOf(executable: string): string | undefined {
  return /^node(\.exe)?$/.test(path.basename(executable)) ? path.dirname(executable) : undefined;
}

/** The arguments of a module's program. Go modules expect exactly `--log-level=debug` as the second one. */
export function moduleArguments(address: string, logLevel: LogLevel | undefined, isTcp: boolean): string[] {
  return [address, ...(logLevel === undefined ? [] : [`--log-level=${logLevel}`]), ...(isTcp ? ['--tcp-mode'] : [])];
}
