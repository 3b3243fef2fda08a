import { DEFAULT_IN_FLIGHT_LIMIT } from '../../rpc/interceptors/in-flight-limit.ts';
import { formatDuration, parseDuration } from '../../../proto/config/duration.ts';

/** Settings from the environment: limits and the launch token. */
export interface ServerEnvironment {
  /** Time limit for configuring one resource. */
  readonly resourceConfigurationTimeoutMs: number;
  /** Time for a module to start, all steps together. */
  readonly moduleStartupTimeoutMs: number;
  /** A module that answers nothing for this long is started again. */
  readonly moduleHangTimeoutMs: number;
  /** Calls in progress for one resource; more are refused. */
  readonly resourceRequestsLimit: number;
  /** Launch token of the page, from `SVC_LAUNCH_TOKEN`; undefined for a new one at each start. */
  readonly launchToken: string | undefined;
  /**
   * Code that the window opened by this program's starter exchanges for the launch token, once; from `SVC_WINDOW_CODE`.
   */
  readonly windowCode: string | undefined;
}

export const defaultServerEnvironment: ServerEnvironment = {
  resourceConfigurationTimeoutMs: 60_000,
  moduleStartupTimeoutMs: 300_000,
  moduleHangTimeoutMs: 600_000,
  resourceRequestsLimit: DEFAULT_IN_FLIGHT_LIMIT,
  launchToken: undefined,
  windowCode: undefined,
};

/** Longest limit. A timer holds less than 25 days; a longer one would fire at once. */
const LONGEST_MS = 24 * 60 * 60 * 1_000;

/** It is sent as a WebSocket subprotocol, so it is base64url. */
const LAUNCH_TOKEN = /^[\w-]{32,}$/;

export type ServerEnvironmentResult =
  | { readonly kind: 'valid'; readonly environment: ServerEnvironment }
  /** To be printed on standard error, with exit code 2. */
  | { readonly kind: 'usage-error'; readonly text: string };

/**
 * Reads `SVC_RESOURCE_CONFIGURATION_TIMEOUT`, `SVC_MODULE_STARTUP_TIMEOUT`, `SVC_MODULE_HANG_TIMEOUT` and
 * `SVC_RESOURCE_REQUESTS_LIMIT`, or their `VIAM_` aliases, `SVC_LAUNCH_TOKEN` and `SVC_WINDOW_CODE`.
 */
export function readServerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ServerEnvironmentResult {
  const problems: string[] = [];
  const { SVC_LAUNCH_TOKEN: launchToken, SVC_WINDOW_CODE: windowCode } = environment;

  const read = (
    name: string,
    standard: number,
    parse: (text: string) => number | undefined,
    allowed: string,
  ): number => {
    const variable = [`SVC_${name}`, `VIAM_${name}`].find((candidate) => environment[candidate] !== undefined);
    if (variable === undefined) return standard;
    const text = environment[variable] ?? '';
    const value = parse(text);
    if (value === undefined || value <= 0) problems.push(`${variable} is "${text}"; ${allowed}.`);
    return value ?? standard;
  };
  const duration = (name: string, standardMs: number): number =>
    read(
      name,
      standardMs,
      (text) => {
        const ms = parseDuration(text);
        return ms === undefined || ms > LONGEST_MS ? undefined : ms;
      },
      `it must be a duration above zero and at most 24h, for example ${formatDuration(standardMs)}`,
    );

  const found: ServerEnvironment = {
    resourceConfigurationTimeoutMs: duration(
      'RESOURCE_CONFIGURATION_TIMEOUT',
      defaultServerEnvironment.resourceConfigurationTimeoutMs,
    ),
    moduleStartupTimeoutMs: duration('MODULE_STARTUP_TIMEOUT', defaultServerEnvironment.moduleStartupTimeoutMs),
    moduleHangTimeoutMs: duration('MODULE_HANG_TIMEOUT', defaultServerEnvironment.moduleHangTimeoutMs),
    resourceRequestsLimit: read(
      'RESOURCE_REQUESTS_LIMIT',
      defaultServerEnvironment.resourceRequestsLimit,
      (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
      `it must be a whole number above zero, for example ${defaultServerEnvironment.resourceRequestsLimit}`,
    ),
    launchToken,
    windowCode,
  };
  if (windowCode !== undefined && !LAUNCH_TOKEN.test(windowCode)) {
    problems.push('SVC_WINDOW_CODE must be at least 32 letters, digits, "-" and "_": it opens the machine, once.');
  }
  if (launchToken !== undefined && !LAUNCH_TOKEN.test(launchToken)) {
    problems.push('SVC_LAUNCH_TOKEN must be at least 32 letters, digits, "-" and "_": it opens the machine.');
  }
  return problems.length === 0
    ? { kind: 'valid', environment: found }
    : { kind: 'usage-error', text: problems.join('\n') };
}
