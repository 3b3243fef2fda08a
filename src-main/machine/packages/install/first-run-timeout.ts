import { parseDuration } from '../../../../proto/config/duration.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';

const DEFAULT_MS = 60 * 60 * 1_000;

/** How long a module's first run may take: `first_run_timeout`, else an hour. */
export function firstRunTimeoutMs({ raw }: Pick<ModuleConfig, 'raw'>): number {
  const written = raw['first_run_timeout'];
  return (typeof written === 'string' ? parseDuration(written) : undefined) ?? DEFAULT_MS;
}
