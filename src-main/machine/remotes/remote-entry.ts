import { findApi } from '../../apis/all.ts';
import type { RemotePlace } from '../../apis/remote-resource.ts';
import type { Resource } from '../../apis/resource.ts';
import type { JsonSchema } from '../../../proto/config/schema/json-schema.ts';
import { ArmatureError } from '../../base/errors.ts';
import { peerForwarder } from '../../rpc/peer/peer-forwarder.ts';
import type { Forwarder } from '../../rpc/router.ts';
import { withFirstField } from '../../rpc/routing/first-field.ts';
import type { BuildContext, BuildRequest, BuiltResource, CatalogEntry, Model } from '../catalog/model.ts';
import type { JsonObject } from '../../apis/resource.ts';
import type { RemoteConnection } from './remote-link.ts';
import { remoteCodes } from './remote-session.ts';

/** Of resources of other machines: `core:remote:<name of the remote>`. */
export const REMOTE_MODEL = 'core:remote:';

/**
 * What resources of one API are on one connection to another machine: another connection is another entry, by which the
 * graph sees that what was built with it is gone.
 */
export class RemoteEntry implements CatalogEntry {
  readonly api: string;
  readonly model: string;
  readonly summary: string;
  readonly schema: JsonSchema = {};
  readonly mayCoexist = false;
  readonly inPlace = [];
  readonly connection: RemoteConnection;

  constructor(api: string, remote: string, connection: RemoteConnection) {
    this.api = api;
    this.model = `${REMOTE_MODEL}${remote}`;
    this.summary = `Of the remote ${remote}`;
    this.connection = connection;
  }

  get isActuator(): boolean {
    return findApi(this.api)?.isActuator ?? false;
  }

  load(): Promise<Pick<Model, 'build'>> {
    const { connection } = this;
    return Promise.resolve({ build: (context, request) => Promise.resolve(instanceOf(connection, context, request)) });
  }
}

function instanceOf(
  { start, closed }: RemoteConnection,
  { clock }: BuildContext<JsonObject>,
  { config }: BuildRequest,
): BuiltResource {
  const api = findApi(config.api);
  if (api === undefined)
    throw new ArmatureError('internal.bug', `${config.fullName} has an API that is not known here.`);
  const there = config.attributes['name'] as string;
  const own = new AbortController();
  const place: RemotePlace = {
    name: there,
    start,
    codes: remoteCodes,
    clock,
    closed: AbortSignal.any([closed, own.signal]),
  };
  const client = api.client(place) as Resource;
  const direct = peerForwarder({ start }, { clock, path: (asCalled) => asCalled });
  return Object.assign(client, {
    forwarder: there === config.name ? direct : renaming(direct, there),
    isElsewhere: true,
    // What was moved over the connection is stopped there when that ends; what others move there is theirs.
    close(): Promise<void> {
      own.abort(new ArmatureError('resource.not_ready', `${config.fullName} was closed.`));
      return Promise.resolve();
    },
  });
}

/** Passes calls on for a resource that has another name there. */
function renaming(forwarder: Forwarder, name: string): Forwarder {
  return {
    start(call, path, responder) {
      const sink = forwarder.start(call, path, responder);
      return {
        message: (bytes) => sink.message(withFirstField(bytes, name)),
        halfClose: () => sink.halfClose(),
        cancel: (reason) => sink.cancel(reason),
      };
    },
  };
}
