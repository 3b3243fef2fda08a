import { AppServiceDefinition } from '../../../../proto/gen/core/app/v1/app.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { badArgument } from '../module-io.ts';
import type { RemoteCaller } from './remote-caller.ts';

/** An organization of a hub, as a publisher. */
export interface PublishingOrganization {
  readonly id: string;
  readonly name: string;
  /** What its modules' ids begin with: its public namespace, else its id. */
  readonly namespace: string;
}

/**
 * The organization that the caller publishes for.
 * @param given its id, as `--organization`
 * @param namespace of the module, which chooses among several organizations
 * @throws {ArmatureError} `call.bad_argument` where it is not clear which
 */
export async function organizationOf(
  hub: RemoteCaller,
  given: string | undefined,
  namespace: string | undefined,
): Promise<PublishingOrganization> {
  const { organizations } = await hub.call(AppServiceDefinition, 'listOrganizations', {});
  const all = organizations.map(({ id, name, publicNamespace }) => ({ id, name, namespace: publicNamespace || id }));
  const [only, ...others] =
    given === undefined
      ? matching(all, namespace)
      : all.filter(({ id, namespace: own }) => id === given || own === given);
  if (only !== undefined && others.length === 0) return only;
  const known = all.map(({ id, name }) => `${id} (${name})`).join(', ');
  if (all.length === 0) {
    throw new ArmatureError('access.denied', `${hub.address} shows no organization to this key; use one of an owner.`);
  }
  throw badArgument(`Say with --organization which one is meant; ${hub.address} has ${known}.`);
}

function matching(
  all: readonly PublishingOrganization[],
  namespace: string | undefined,
): readonly PublishingOrganization[] {
  const ofNamespace = all.filter((one) => one.namespace === namespace || one.id === namespace);
  return ofNamespace.length > 0 ? ofNamespace : all;
}
