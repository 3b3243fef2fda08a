/** One command-line option. */
export interface OptionDescription {
  readonly name: string;
  /** Name of its value; undefined for flags. */
  readonly argument: string | undefined;
  /** For flags only. */
  readonly isOnByDefault: boolean;
  readonly summary: string;
}

function flag(name: string, summary: string, more: Partial<OptionDescription> = {}): OptionDescription {
  return { name, argument: undefined, isOnByDefault: false, summary, ...more };
}

function valued(name: string, argument: string, summary: string): OptionDescription {
  return flag(name, summary, { argument });
}

/** The options of the specification ("Server command-line options"), then ours. */
export const serverOptions = [
  flag('allow-insecure-creds', 'Allow credentials over plaintext connections.'),
  valued('config', '<filename>', 'Configuration file: a full configuration, or cloud credentials.'),
  valued('cpuprofile', '<filename>', 'Write a CPU profile, from start to exit, to the file.'),
  flag('debug', 'Log everything at debug level; the configuration cannot turn it off.'),
  flag('disable-mdns', 'Neither let the machine be found in the local network nor find others there (multicast DNS).'),
  valued('dump-resources', '<filename>', 'Write all models, with their attributes, as JSON to the file, and exit.'),
  flag('ftdc', 'Record diagnostics all the time, in SVC_HOME/diagnostics.', { isOnByDefault: true }),
  valued('log-file', '<filename>', 'Write logs to the file, with rotation, and not to the console.'),
  flag('network-check', 'Only check what the machine needs of its network, and exit: 1 where a check failed.'),
  flag('no-tls', 'Serve without TLS even where certificates exist.'),
  flag('output-telemetry', 'Print metrics every 10 s; spans are a matter of "tracing" in the configuration.'),
  flag('reveal-sensitive-config-diffs', 'Log what changed in the configuration.'),
  valued('shareddir', '<directory>', 'Serve the page from this directory.'),
  flag(
    'untrusted-env',
    'Start no processes: modules, and cameras that need ffmpeg, fail, saying so. Jobs are refused.',
  ),
  flag('version', 'Print the version, and exit.'),
  flag('webprofile', 'Serve a profiler on the port of the server.'),
  flag('webrtc', 'Connect to other machines over WebRTC, where they can, rather than directly.', {
    isOnByDefault: true,
  }),
  flag('hub', 'Without a "cloud" block: run a hub in the same process, its data in SVC_HOME/hub.', {
    isOnByDefault: true,
  }),
  flag('simulate-hardware', 'Drive a computer in memory instead of the wires of this one.'),
] as const satisfies readonly OptionDescription[];

/** All options, each with one line. */
export function optionHelp(): string {
  const rows = serverOptions.map(({ name, argument, isOnByDefault, summary }) => {
    const note = isOnByDefault ? ` Default true; -${name}=false turns it off.` : '';
    return { left: `  -${name}${argument === undefined ? '' : ` ${argument}`}`, right: summary + note };
  });
  const width = Math.max(...rows.map(({ left }) => left.length)) + 2;
  const lines = rows.map(({ left, right }) => left.padEnd(width) + right);
  return ['Usage: armature server -config <filename> [options]', '', ...lines, ''].join('\n');
}
