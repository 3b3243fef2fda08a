import { findApi } from '../../apis/all.ts';
import type { RemoteEndpoint } from '../../apis/remote-resource.ts';
import type { Resource } from '../../apis/resource.ts';
import type { JsonSchema } from '../../../proto/config/schema/json-schema.ts';
import { ArmatureError } from '../../base/errors.ts';
import { peerForwarder } from '../../rpc/peer/peer-forwarder.ts';
import type { Forwarder } from '../../rpc/router.ts';
import { withFirstField } from '../../rpc/routing/first-field.ts';
import type { BuildContext, BuildRequest, BuiltResource, CatalogEntry, Model } from '../catalog/model.ts';
import type { JsonObject } from '../../apis/resource.ts';
import { foreignClient } from '../foreign/foreign-client.ts';
import { isMoving, type StoppableApis } from '../foreign/foreign-apis.ts';
import type { RemoteConnection } from './remote-link.ts';
import { remoteCodes } from './remote-session.ts';

/** Model of resources on other machines: `core:remote:<name of the remote>`. */
export const REMOTE_MODEL = 'core:remote:';

export interface RemoteEntryOptions {
  readonly api: string;
  /** Name of the remote. */
  readonly remote: string;
  readonly connection: RemoteConnection;
  /** The service that carries the API there; undefined for an API that this program has a definition of. */
  readonly service: string | undefined;
  readonly foreign: () => StoppableApis | undefined;
}

/**
 * The model entry for resources of one API over one connection to another machine. A new connection is another entry,
 * which shows the graph that instances of the old one are lost.
 */
export class RemoteEntry implements CatalogEntry {
  readonly api: string;
  readonly model: string;
  readonly summary: string;
  readonly schema: JsonSchema = {};
  readonly mayCoexist = false;
  readonly inPlace = [];
  readonly connection: RemoteConnection;

  readonly #options: RemoteEntryOptions;

  constructor(options: RemoteEntryOptions) {
    const { api, remote, connection } = options;
    this.#options = options;
    this.api = api;
    this.model = `${REMOTE_MODEL}${remote}`;
    this.summary = `Of the remote ${remote}`;
    this.connection = connection;
  }

  get isActuator(): boolean {
    return isMoving(this.api, this.#options.foreign());
  }

  load(): Promise<Pick<Model, 'build'>> {
    const { service, foreign } = this.#options;
    return Promise.resolve({
      build: async (context, request) => {
        if (service !== undefined) await foreign()?.described(this.api, context.signal);
        return this.#instanceOf(context, request);
      },
    });
  }

  #instanceOf(context: BuildContext<JsonObject>, request: BuildRequest): BuiltResource {
    const { service = '' } = this.#options;
    const { isActuator } = this;
    const known = findApi(this.api);
    const clientAt = (endpoint: RemoteEndpoint): Resource =>
      known === undefined ? foreignClient(service, isActuator, endpoint) : (known.client(endpoint) as Resource);
    return instanceOf(this.connection, clientAt, context, request);
  }
}

function instanceOf(
  { start, closed }: RemoteConnection,
  clientAt: (endpoint: RemoteEndpoint) => Resource,
  { clock }: BuildContext<JsonObject>,
  { config }: BuildRequest,
): BuiltResource {
  const there = config.attributes['name'] as string;
  const own = new AbortController();
  const endpoint: RemoteEndpoint = {
    name: there,
    start,
    codes: remoteCodes,
    clock,
    closed: AbortSignal.any([closed, own.signal]),
  };
  const client = clientAt(endpoint);
  const direct = peerForwarder({ start }, { clock, path: (asCalled) => asCalled });
  return Object.assign(client, {
    forwarder: there === config.name ? direct : renaming(direct, there),
    isElsewhere: true,
    // When it ends, the other machine stops what was moved over this connection, but not what other clients move.
    close(): Promise<void> {
      own.abort(new ArmatureError('resource.not_ready', `${config.fullName} was closed.`));
      return Promise.resolve();
    },
  });
}

/** Forwards calls to a resource that has another name there. */
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
