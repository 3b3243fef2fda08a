import type { Action } from './config/permissions.ts';
import { traitsOfMethods } from './gen/method-traits.ts';

/**
 * What a method is, for whoever serves it, passes it on or watches over it. Ours say it in their .proto files
 * (core/method/v1/traits.proto), where each trait is explained.
 */
export interface MethodTraits {
  /** The right that its caller has to have; `anyone`; or `hub`: the hub's own handler asks, once it has read the request. */
  readonly needs: Action | 'anyone' | 'hub';
  /** Of streams only. */
  readonly duration?: 'lasting' | 'bounded';
  readonly withoutProof?: 'never' | 'on-this-computer' | 'anywhere';
  readonly untracked?: boolean;
  readonly unlimited?: boolean;
  readonly drives?: 'gpio' | 'pwm' | 'analog';
  readonly namesPart?: boolean;
  /** The public option `safety_heartbeat_monitored`: a session that ends stops the resource. */
  readonly moves?: boolean;
}

/** Number of the extension core.common.v1.safety_heartbeat_monitored, a varint. */
export const SAFETY_HEARTBEAT_MONITORED = 84260;

const OURS = /^(core|proto|grpc)\./;
/** Of ours, those whose services are APIs of resources. */
const RESOURCE_API = /^core\.(component|service)\./;

/** A module brings it for its resources: to use it is to operate the machine. */
const ofModules: MethodTraits = { needs: 'machine.operate' };
/** Ours, and nobody here knows it. */
const unknown: MethodTraits = { needs: 'machine.administer' };

/**
 * Traits of a method, whoever serves it and wherever: a hub asks too, for what it passes on to a machine.
 * @param service full name in our spelling: `core.config.v1.ConfigService`
 */
export function methodTraits(service: string, method: string): MethodTraits {
  const known = traitsOfMethods[service]?.[method];
  if (known !== undefined) return known;
  return RESOURCE_API.test(service) || !OURS.test(service) ? ofModules : unknown;
}
