import { formatDuration, parseDuration } from '../../../proto/config/duration.ts';

/** Limits that the environment sets (spec, "Limits"; ruling 11). */
export interface ServerLimits {
  /** Time for one resource to be configured. */
  readonly resourceConfigurationTimeoutMs: number;
  /** Time for a module to start, all steps together. */
  readonly moduleStartupTimeoutMs: number;
  /** Calls under way for one resource; more are refused. */
  readonly resourceRequestsLimit: number;
}

export const defaultServerLimits: ServerLimits = {
  resourceConfigurationTimeoutMs: 60_000,
  moduleStartupTimeoutMs: 300_000,
  resourceRequestsLimit: 100,
};

export type ServerLimitsResult =
  | { readonly kind: 'valid'; readonly limits: ServerLimits }
  /** To be printed on standard error, with exit code 2. */
  | { readonly kind: 'usage-error'; readonly text: string };

/** Reads `SVC_RESOURCE_CONFIGURATION_TIMEOUT`, `SVC_MODULE_STARTUP_TIMEOUT` and `SVC_RESOURCE_REQUESTS_LIMIT`, or their `VIAM_` aliases. */
export function readServerLimits(environment: Readonly<Record<string, string | undefined>>): ServerLimitsResult {
  const problems: string[] = [];

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
      parseDuration,
      `it must be a duration above zero, for example ${formatDuration(standardMs)}`,
    );

  const limits: ServerLimits = {
    resourceConfigurationTimeoutMs: duration(
      'RESOURCE_CONFIGURATION_TIMEOUT',
      defaultServerLimits.resourceConfigurationTimeoutMs,
    ),
    moduleStartupTimeoutMs: duration('MODULE_STARTUP_TIMEOUT', defaultServerLimits.moduleStartupTimeoutMs),
    resourceRequestsLimit: read(
      'RESOURCE_REQUESTS_LIMIT',
      defaultServerLimits.resourceRequestsLimit,
      (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
      `it must be a whole number above zero, for example ${defaultServerLimits.resourceRequestsLimit}`,
    ),
  };
  return problems.length === 0 ? { kind: 'valid', limits } : { kind: 'usage-error', text: problems.join('\n') };
}
