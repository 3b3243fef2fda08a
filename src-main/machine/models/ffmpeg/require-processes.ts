import type { BuildContext } from '../../catalog/model.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import { ArmatureError } from '../../../base/errors.ts';

/**
 * Refuses to build a model that needs a process if the server must not start any.
 * @param need what needs it: the start of a sentence
 * @throws {ArmatureError} `access.denied`
 */
export function requireProcesses(
  { name, isEnvironmentUntrusted }: Pick<BuildContext<JsonObject>, 'name' | 'isEnvironmentUntrusted'>,
  need: string,
): void {
  if (!isEnvironmentUntrusted) return;
  const message = `"${name}": ${need}, and this server runs with -untrusted-env, which allows no processes.`;
  throw new ArmatureError(
    'access.denied',
    `${message} Start it without that option where you trust the configuration.`,
  );
}
