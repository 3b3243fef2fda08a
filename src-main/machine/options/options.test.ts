import { describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.ts';
import { optionHelp, serverOptions } from './option-table.ts';
import { parseOptions, type ParsedOptions, type ServerOptions } from './parse-options.ts';
import { defaultServerEnvironment, readServerEnvironment } from './server-environment.ts';

function run(...args: string[]): ServerOptions {
  const parsed = parseOptions(args, {});
  if (parsed.kind !== 'run') throw new Error(`${parsed.kind}: ${'text' in parsed ? parsed.text : ''}`);
  return parsed.options;
}

function errorOf(parsed: ParsedOptions): string | undefined {
  return parsed.kind === 'usage-error' ? parsed.text.split('\n')[0] : undefined;
}

describe('options', () => {
  it('are the 17 of the specification, and ours', () => {
    expect(serverOptions.map(({ name }) => name)).toEqual([
      'allow-insecure-creds',
      'config',
      'cpuprofile',
      'debug',
      'disable-mdns',
      'dump-resources',
      'ftdc',
      'log-file',
      'network-check',
      'no-tls',
      'output-telemetry',
      'reveal-sensitive-config-diffs',
      'shareddir',
      'untrusted-env',
      'version',
      'webprofile',
      'webrtc',
      'hub',
      'simulate-hardware',
    ]);
  });

  it('have the defaults of the specification', () => {
    expect(run('-config', 'm.json')).toEqual({
      allowsInsecureCredentials: false,
      configFile: 'm.json',
      cpuProfileFile: '',
      isDebug: false,
      isMdnsDisabled: false,
      dumpResourcesFile: '',
      recordsDiagnostics: true,
      logFile: '',
      logsToConsole: true,
      checksNetworkOnly: false,
      isTlsOff: false,
      printsTelemetry: false,
      revealsConfigDiffs: false,
      sharedDirectory: '',
      simulatesHardware: false,
      isEnvironmentUntrusted: false,
      servesProfiler: false,
      usesWebRtc: true,
      runsHub: true,
    });
  });

  it.each<[string[], Partial<ServerOptions>]>([
    [['-config', 'a'], { configFile: 'a' }],
    [['--config', 'a'], { configFile: 'a' }],
    [['-config=a'], { configFile: 'a' }],
    [['--config=a=b'], { configFile: 'a=b' }],
    [['-config', '-a'], { configFile: '-a' }],
    [['-config', 'a', '-config', 'b'], { configFile: 'b' }],
    [['-config=a', '-debug'], { isDebug: true }],
    [['-config=a', '-debug=true', '--debug=F'], { isDebug: false }],
    [
      ['-config=a', '-webrtc=0', '-ftdc=False', '-hub=f'],
      { usesWebRtc: false, recordsDiagnostics: false, runsHub: false },
    ],
    [['-config=a', '-no-tls', '--allow-insecure-creds'], { isTlsOff: true, allowsInsecureCredentials: true }],
    [['-config=a', '-shareddir', 'www', '-cpuprofile=p'], { sharedDirectory: 'www', cpuProfileFile: 'p' }],
    [
      ['-config=a', '-webprofile', '-reveal-sensitive-config-diffs'],
      { servesProfiler: true, revealsConfigDiffs: true },
    ],
    [['-config=a', '--'], { configFile: 'a' }],
    [['-dump-resources', 'r.json'], { dumpResourcesFile: 'r.json', configFile: '' }],
    [['-network-check'], { checksNetworkOnly: true, configFile: '' }],
  ])('%j are read as Go reads them', (args, expected) => {
    expect(run(...args)).toMatchObject(expected);
  });

  it.each([
    [['-confg', 'a'], '-confg is not an option. Did you mean -config?'],
    [['-log_file', 'a'], '-log_file is not an option. Did you mean -log-file?'],
    [['-zzzzzzzzzzzz'], '-zzzzzzzzzzzz is not an option.'],
    [['-debug=maybe'], '-debug is "maybe"; allowed are true and false.'],
    [['-debug', 'false', '-config=a'], '"false" does not belong to an option. Write -debug=false.'],
    [['machine.json'], '"machine.json" does not belong to an option.'],
    [['-config=a', '--', 'b'], '"b" does not belong to an option.'],
    [['-config=a', '-'], '"-" does not belong to an option.'],
    [['---config', 'a'], '"---config" is not an option; options look like -config or --config.'],
    [['-=a'], '"-=a" is not an option; options look like -config or --config.'],
    [['-config'], '-config needs a value: -config <filename>.'],
    [['-config='], '-config needs a value: -config <filename>.'],
  ])('%j are refused with the reason', (args, expected) => {
    expect(errorOf(parseOptions(args, {}))).toBe(expected);
  });

  it('without -config are a usage error, with the usage', () => {
    const parsed = parseOptions([], {});
    expect(errorOf(parsed)).toBe('-config is missing: the server needs a configuration file.');
    expect(parsed).toMatchObject({ text: expect.stringContaining('Usage: armature server -config') as string });
    expect(exitCodes.usage).toBe(2);
  });

  it.each([['-h'], ['--help'], ['-help']])('print their help for %s, one line each', (argument) => {
    const parsed = parseOptions([argument], {});
    expect(parsed).toEqual({ kind: 'help', text: optionHelp() });
    for (const { name } of serverOptions) expect(optionHelp()).toMatch(new RegExp(`^  -${name}( <\\w+>)?  +\\S`, 'm'));
  });

  it('ask for the version without a configuration', () => {
    expect(parseOptions(['-version'], {})).toEqual({ kind: 'version' });
    expect(errorOf(parseOptions(['-version=false'], {}))).toMatch(/^-config is missing/);
  });

  it('take the log file from the environment too, which leaves the console on', () => {
    const parse = (args: string[], environment: Record<string, string>) => {
      const parsed = parseOptions(['-config=a', ...args], environment);
      return parsed.kind === 'run' ? [parsed.options.logFile, parsed.options.logsToConsole] : [];
    };
    expect(parse([], { SVC_LOGFILE: 'env.log' })).toEqual(['env.log', true]);
    expect(parse([], { VIAM_LOGFILE: 'env.log' })).toEqual(['env.log', true]);
    expect(parse(['-log-file', 'x.log'], { SVC_LOGFILE: 'env.log' })).toEqual(['x.log', false]);
  });
});

describe('limits from the environment', () => {
  it('have the defaults of the specification', () => {
    expect(readServerEnvironment({})).toEqual({ kind: 'valid', environment: defaultServerEnvironment });
    expect(defaultServerEnvironment).toEqual({
      resourceConfigurationTimeoutMs: 60_000,
      moduleStartupTimeoutMs: 300_000,
      moduleHangTimeoutMs: 600_000,
      resourceRequestsLimit: 100,
    });
  });

  it('take a launch token that is long enough to be a secret, and no other', () => {
    const launchToken = 'a-Z_9'.repeat(7);
    expect(readServerEnvironment({ SVC_LAUNCH_TOKEN: launchToken })).toMatchObject({ environment: { launchToken } });
    for (const bad of ['', 'short', `${launchToken} and more`]) {
      expect(readServerEnvironment({ SVC_LAUNCH_TOKEN: bad })).toMatchObject({
        kind: 'usage-error',
        text: expect.stringContaining('SVC_LAUNCH_TOKEN') as string,
      });
    }
  });

  it('are read in Go duration syntax, in both spellings, ours first', () => {
    expect(
      readServerEnvironment({
        SVC_RESOURCE_CONFIGURATION_TIMEOUT: '1m30s',
        VIAM_RESOURCE_CONFIGURATION_TIMEOUT: '5s',
        VIAM_MODULE_STARTUP_TIMEOUT: '10m',
        VIAM_MODULE_HANG_TIMEOUT: '2s',
        SVC_RESOURCE_REQUESTS_LIMIT: '7',
      }),
    ).toEqual({
      kind: 'valid',
      environment: {
        resourceConfigurationTimeoutMs: 90_000,
        moduleStartupTimeoutMs: 600_000,
        moduleHangTimeoutMs: 2_000,
        resourceRequestsLimit: 7,
      },
    });
  });

  it.each([
    ['SVC_RESOURCE_CONFIGURATION_TIMEOUT', '60', 'it must be a duration above zero and at most 24h, for example 1m0s.'],
    ['VIAM_MODULE_STARTUP_TIMEOUT', '5 minutes', 'it must be a duration above zero and at most 24h, for example 5m0s.'],
    ['SVC_MODULE_STARTUP_TIMEOUT', '-1s', 'it must be a duration above zero and at most 24h, for example 5m0s.'],
    ['SVC_MODULE_STARTUP_TIMEOUT', '1000h', 'it must be a duration above zero and at most 24h, for example 5m0s.'],
    ['SVC_MODULE_STARTUP_TIMEOUT', '', 'it must be a duration above zero and at most 24h, for example 5m0s.'],
    ['SVC_MODULE_HANG_TIMEOUT', '600', 'it must be a duration above zero and at most 24h, for example 10m0s.'],
    ['SVC_RESOURCE_REQUESTS_LIMIT', '1.5', 'it must be a whole number above zero, for example 100.'],
    ['SVC_RESOURCE_REQUESTS_LIMIT', '0', 'it must be a whole number above zero, for example 100.'],
  ])('refuse %s="%s", naming the variable, the value and an example', (variable, value, rest) => {
    expect(readServerEnvironment({ [variable]: value })).toEqual({
      kind: 'usage-error',
      text: `${variable} is "${value}"; ${rest}`,
    });
  });
});
