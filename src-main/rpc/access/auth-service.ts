import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ServerCall } from '../call.ts';
import { firstValue } from '../metadata.ts';
import type { ServiceHandlers } from '../service.ts';
import type { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import type { AccessControl } from './access-control.ts';
import { noKeysConfigured } from './access-decision.ts';
import { authenticateLimit, FailureLimit } from './failure-limit.ts';

const WHAT = 'Authenticate';

/** `proto.rpc.v1.AuthService`: exchanges an API key for a token. */
export function authService(access: AccessControl, clock: Clock): ServiceHandlers<typeof AuthServiceDefinition> {
  const limit = new FailureLimit(authenticateLimit, clock);

  const refuseGuess = (entity: string, remoteAddress: string): ArmatureError => {
    const waitMs = limit.waitMs(remoteAddress);
    if (waitMs > 0) {
      const message = `too many failed attempts from ${remoteAddress}: try again in ${Math.ceil(waitMs / 1_000)} s`;
      access.refusals.record('rate-limited', remoteAddress, WHAT, message);
      return new ArmatureError('access.rate_limited', message, { details: { retryAfterMs: waitMs } });
    }
    limit.recordFailure(remoteAddress);
    access.refusals.record('bad-credentials', remoteAddress, WHAT, `no such API key: id ${quoted(entity)}`);
    return new ArmatureError('access.unauthenticated', 'invalid credentials');
  };

  return {
    authenticate(request, call) {
      const { entity, credentials } = request;
      const isOwn = credentials !== undefined && access.keys.matches(entity, credentials.payload);
      refuseUnlessUseful(access, call, isOwn);
      if (credentials === undefined) {
        throw new ArmatureError('call.bad_argument', 'credentials are missing: send {type: "api-key", payload: <key>}');
      }
      if (credentials.type !== 'api-key') {
        throw new ArmatureError(
          'call.bad_argument',
          `do not know how to handle credential type ${quoted(credentials.type)}; this machine accepts "api-key"`,
        );
      }
      // The right key is accepted whatever other callers at its address have tried: that does not help to guess 256
      // bits.
      if (!isOwn) throw refuseGuess(entity, call.connection.remoteAddress);
      return { accessToken: access.issueToken(entity) };
    },
  };
}

/** @param isOwn whether the credential is a key of this machine, perhaps of its modules */
function refuseUnlessUseful(access: AccessControl, call: ServerCall, isOwn: boolean): void {
  const { connection, metadata } = call;
  if (access.keys.isEmpty && !isOwn && access.isOpenTo(call)) {
    throw new ArmatureError('call.unimplemented', 'this machine has no authentication: call it without a token');
  }
  if (access.isInsecure(connection)) throw access.refuseInsecure(connection.remoteAddress, WHAT);
  if (firstValue(metadata, 'authorization') !== undefined) {
    throw new ArmatureError('call.bad_argument', 'already authenticated; cannot re-authenticate');
  }
  if (access.keys.isEmpty && !isOwn) throw access.refuse(noKeysConfigured, connection.remoteAddress, WHAT);
}

/** A caller's text, made safe for one line of a log. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}
