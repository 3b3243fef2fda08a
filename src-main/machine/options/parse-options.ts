import { nearest } from '../../../proto/config/nearest.ts';
import { environmentVariable } from '../../base/dialect.ts';
import { optionHelp, serverOptions, type OptionDescription } from './option-table.ts';

/** The options of one run of the server. Files and directories are as typed; '' if not given. */
export interface ServerOptions {
  readonly allowsInsecureCredentials: boolean;
  readonly configFile: string;
  readonly cpuProfileFile: string;
  readonly isDebug: boolean;
  readonly isMdnsDisabled: boolean;
  readonly dumpResourcesFile: string;
  readonly recordsDiagnostics: boolean;
  /** From `-log-file`, else from the variable `SVC_LOGFILE`. */
  readonly logFile: string;
  /** False if `-log-file` replaces the console. */
  readonly logsToConsole: boolean;
  readonly checksNetworkOnly: boolean;
  readonly isTlsOff: boolean;
  readonly printsTelemetry: boolean;
  readonly revealsConfigDiffs: boolean;
  readonly sharedDirectory: string;
  readonly simulatesHardware: boolean;
  readonly isEnvironmentUntrusted: boolean;
  readonly servesProfiler: boolean;
  readonly usesWebRtc: boolean;
  readonly runsHub: boolean;
}

/** What a command line asks for. */
export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: ServerOptions }
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly text: string }
  /** To be printed on standard error, with exit code 2. */
  | { readonly kind: 'usage-error'; readonly text: string };

type OptionName = (typeof serverOptions)[number]['name'];

const known: ReadonlyMap<string, OptionDescription> = new Map(serverOptions.map((option) => [option.name, option]));

/** As Go's strconv.ParseBool reads them. */
const truthValues: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

/**
 * Parses the command line like Go's flag package: `-x` or `--x`, `-x=value` or `-x value`; a flag takes a value only
 * after `=`; `--` ends the options; the last of several counts.
 */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedOptions {
  const texts = new Map<string, string>();
  const flags = new Map<string, boolean>();
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    const isLast = argument === '--';
    if (isLast && index + 1 === args.length) break;
    if (isLast || argument === '-' || !argument.startsWith('-'))
      return unexpectedArgument(isLast ? args[index + 1] : argument, args[index - 1]);
    const match = /^--?([^-=][^=]*)(?:=([^]*))?$/.exec(argument);
    const [, name = '', given] = match ?? [];
    if (match === null) return usageError(`"${argument}" is not an option; options look like -config or --config.`);
    if (name === 'h' || name === 'help') return { kind: 'help', text: optionHelp() };
    const option = known.get(name);
    if (option === undefined) return unknownOption(name);
    if (option.argument === undefined) {
      const value = given === undefined ? true : truthValues.get(given);
      if (value === undefined) return usageError(`-${name} is "${given ?? ''}"; allowed are true and false.`);
      flags.set(name, value);
      continue;
    }
    const value = given ?? args[++index];
    if (value === undefined || value === '') return usageError(`-${name} needs a value: -${name} ${option.argument}.`);
    texts.set(name, value);
  }
  return toResult(texts, flags, environment);
}

function toResult(
  texts: ReadonlyMap<string, string>,
  flags: ReadonlyMap<string, boolean>,
  environment: Readonly<Record<string, string | undefined>>,
): ParsedOptions {
  const isOn = (name: OptionName): boolean => flags.get(name) ?? known.get(name)?.isOnByDefault ?? false;
  const text = (name: OptionName): string => texts.get(name) ?? '';
  if (isOn('version')) return { kind: 'version' };
  const options: ServerOptions = {
    allowsInsecureCredentials: isOn('allow-insecure-creds'),
    configFile: text('config'),
    cpuProfileFile: text('cpuprofile'),
    isDebug: isOn('debug'),
    isMdnsDisabled: isOn('disable-mdns'),
    dumpResourcesFile: text('dump-resources'),
    recordsDiagnostics: isOn('ftdc'),
    logFile: text('log-file') || (environmentVariable('LOGFILE', environment) ?? ''),
    logsToConsole: !texts.has('log-file'),
    checksNetworkOnly: isOn('network-check'),
    isTlsOff: isOn('no-tls'),
    printsTelemetry: isOn('output-telemetry'),
    revealsConfigDiffs: isOn('reveal-sensitive-config-diffs'),
    sharedDirectory: text('shareddir'),
    simulatesHardware: isOn('simulate-hardware'),
    isEnvironmentUntrusted: isOn('untrusted-env'),
    servesProfiler: isOn('webprofile'),
    usesWebRtc: isOn('webrtc'),
    runsHub: isOn('hub'),
  };
  if (options.configFile === '' && options.dumpResourcesFile === '' && !options.checksNetworkOnly) {
    return usageError('-config is missing: the server needs a configuration file.');
  }
  return { kind: 'run', options };
}

function unexpectedArgument(argument: string | undefined, before: string | undefined): ParsedOptions {
  const flagBefore = known.get(before?.replace(/^--?/, '') ?? '');
  const hint =
    flagBefore !== undefined && flagBefore.argument === undefined && truthValues.has(argument ?? '')
      ? ` Write -${flagBefore.name}=${argument ?? ''}.`
      : '';
  return usageError(`"${argument ?? ''}" does not belong to an option.${hint}`);
}

function unknownOption(name: string): ParsedOptions {
  const guess = nearest(name, known.keys());
  return usageError(`-${name} is not an option.${guess === undefined ? '' : ` Did you mean -${guess}?`}`);
}

function usageError(message: string): ParsedOptions {
  return { kind: 'usage-error', text: `${message}\n\n${optionHelp()}` };
}
