import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { addressGroup, FailureLimit, type FailureLimitOptions } from '../../rpc/access/failure-limit.ts';
import type { ServerCall } from '../../rpc/call.ts';
import { firstValue } from '../../rpc/metadata.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import type { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import type { AccessTokens } from './keys/access-tokens.ts';
import type { Credentials } from './keys/credentials.ts';
import { holderKinds } from './keys/holder.ts';
import type { HubAccess } from './hub-access.ts';

/** Failed attempts allowed for one key or part from one address. */
const perHolder: FailureLimitOptions = { failures: 10, windowMs: 60_000, maxAddresses: 20_000 };
/**
 * Failed attempts allowed for one address in total. Higher, because a whole workshop may share one address: it must
 * keep working when one machine has a bad key.
 */
const perAddress: FailureLimitOptions = { failures: 100, windowMs: 60_000, maxAddresses: 10_000 };

export interface AuthenticateOptions {
  readonly access: HubAccess;
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

/** `proto.rpc.v1.AuthService` of a hub: exchanges an API key, a module key or a part secret for a token. */
export function hubAuthService(options: AuthenticateOptions): ServiceHandlers<typeof AuthServiceDefinition> {
  const { access, credentials, tokens, clock } = options;
  const holders = new FailureLimit(perHolder, clock);
  const addresses = new FailureLimit(perAddress, clock);

  const refuseGuess = (type: string, entity: string, call: ServerCall): ArmatureError => {
    const { remoteAddress } = call.connection;
    const attempt = `${addressGroup(remoteAddress)} ${entity.slice(0, 64)}`;
    const waitMs = Math.max(holders.waitMs(attempt), addresses.waitMs(remoteAddress));
    if (waitMs > 0) {
      const message = `too many failed attempts from ${remoteAddress}: try again in ${Math.ceil(waitMs / 1_000)} s`;
      access.refusals.record('rate-limited', remoteAddress, call.method.path, message);
      return new ArmatureError('access.rate_limited', message, { details: { retryAfterMs: waitMs } });
    }
    holders.recordFailure(attempt);
    addresses.recordFailure(remoteAddress);
    const message = `no such ${type}: id ${quoted(entity)}`;
    access.refusals.record('bad-credentials', remoteAddress, call.method.path, message);
    return new ArmatureError('access.unauthenticated', 'invalid credentials');
  };

  return {
    async authenticate({ entity, credentials: shown }, call) {
      if (access.isInsecure(call)) throw access.refuseInsecure(call);
      if (firstValue(call.metadata, 'authorization') !== undefined) {
        throw new ArmatureError('call.bad_argument', 'already authenticated; cannot re-authenticate');
      }
      if (shown === undefined) {
        throw new ArmatureError('call.bad_argument', 'credentials are missing: send {type: "api-key", payload: <key>}');
      }
      if (!holderKinds.has(shown.type)) {
        const accepted = [...holderKinds.keys()].map((type) => `"${type}"`).join(' and ');
        throw new ArmatureError(
          'call.bad_argument',
          `do not know how to handle credential type ${quoted(shown.type)}; this hub accepts ${accepted}`,
        );
      }
      let match = credentials.match(shown.type, entity, shown.payload);
      if (match === undefined) {
        // A command may have created this key a moment ago, so it must work at once. Concurrent attempts share one
        // read.
        await credentials.follow();
        match = credentials.match(shown.type, entity, shown.payload);
      }
      // The right key always gets in, even if others at its address failed too often: guessing 256 bits cannot succeed.
      if (match === undefined) throw refuseGuess(shown.type, entity, call);
      return { accessToken: await tokens.issue(match) };
    },
  };
}

/** Text from a caller, quoted and shortened for one log line. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}
