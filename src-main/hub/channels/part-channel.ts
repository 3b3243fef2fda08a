import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import { DashboardServiceDefinition } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import {
  ListPresenceRequest,
  PresenceServiceDefinition,
  type PresenceScope,
} from '../../../proto/gen/core/hub/v1/presence.ts';
import { RegistryServiceDefinition } from '../../../proto/gen/core/hub/v1/registry.ts';
import { TriggerServiceDefinition } from '../../../proto/gen/core/hub/v1/trigger.ts';
import { LogServiceDefinition } from '../../../proto/gen/core/log/v1/log.ts';
import { encodeMessage } from '../../../proto/message.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import type { Connection, Interceptor, ServerCall } from '../../rpc/call.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import type { ChannelRefusal, ChannelTarget } from '../../rpc/channel/websocket.ts';
import { chosenService } from '../../rpc/routing/chosen-service.ts';
import { callLocally, LocalCallError } from '../../rpc/routing/local-call.ts';
import { methodPath } from '../../rpc/peer/outbound-call.ts';
import type { MountService } from '../../rpc/router.ts';
import type { ServiceDefinition, ServiceHandlers } from '../../rpc/service.ts';
import type { OperatePermission } from '../access/operate-permission.ts';
import { unreachable } from '../presence/away.ts';
import type { LiveParts } from '../presence/live-parts.ts';
import type { Store } from '../storage/store.ts';
import { PartForwarder } from './part-forwarder.ts';

/** Services that the hub answers for a part; the others go to the part itself. */
const served: ReadonlyMap<string, ServiceDefinition> = new Map(
  [
    AppServiceDefinition,
    ConfigServiceDefinition,
    DashboardServiceDefinition,
    LogServiceDefinition,
    PresenceServiceDefinition,
    RegistryServiceDefinition,
    TriggerServiceDefinition,
  ].map((definition) => [definition.fullName, definition] as const),
);
/** Callers of a channel have already authenticated. */
const AUTHENTICATION = 'proto.rpc.v1.AuthService';

const OPEN_TIMEOUT_MS = 10_000;
const statuses: Readonly<Partial<Record<StatusCode, number>>> = {
  [StatusCode.NOT_FOUND]: 404,
  [StatusCode.PERMISSION_DENIED]: 403,
  [StatusCode.UNAUTHENTICATED]: 401,
};

/** What a channel needs from the hub. */
export interface PartChannelOptions {
  readonly store: Store;
  readonly live: LiveParts;
  readonly operating: OperatePermission;
  /** Puts the hub's services on a router. */
  readonly mount: (mount: MountService) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A channel from one caller to one part of the fleet; for the caller it looks like a connection to that machine. The
 * hub answers for configuration, dashboards, logs and presence, so they work while the machine is offline. Every other call is
 * forwarded to the machine as bytes, for callers that may make it at the machine's own port.
 */
export class PartChannel implements ChannelTarget {
  readonly router: CallRouter;
  readonly #options: PartChannelOptions;
  readonly #partId: string;
  readonly #forwarder: PartForwarder;

  /** @param access interceptors that identify the caller, as on the port itself */
  constructor(options: PartChannelOptions, partId: string, access: readonly Interceptor[]) {
    const { clock, logger, live, mount } = options;
    this.#options = options;
    this.#partId = partId;
    this.#forwarder = new PartForwarder(live.connected, clock, partId);
    this.router = new CallRouter({ clock, logger, maxMessageBytes: MAX_MESSAGE_BYTES });
    for (const interceptor of access) this.router.addInterceptor(interceptor);
    this.router.addInterceptor({ name: 'operate', start: (call) => this.#authorize(call) });
    mount((definition, handlers) => {
      if (served.has(definition.fullName)) this.router.addService(definition, forPart(definition, handlers, partId));
    });
    this.router.forwardOthers(this.#forwarder);
  }

  /**
   * Opens a channel for a caller who may see the part; other callers get an error as if the part did not exist.
   * @param connection has authenticated
   */
  static async open(
    options: PartChannelOptions,
    partId: string,
    access: readonly Interceptor[],
    connection: Connection,
  ): Promise<PartChannel | ChannelRefusal> {
    const channel = new PartChannel(options, partId, access);
    try {
      const request = encodeMessage(ListPresenceRequest, { scope: scopeOf(partId), brief: true });
      const path = methodPath(PresenceServiceDefinition, PresenceServiceDefinition.methods.list);
      await callLocally(channel.router, connection, path, request, OPEN_TIMEOUT_MS);
      return channel;
    } catch (thrown) {
      if (!(thrown instanceof LocalCallError)) throw thrown;
      return { status: statuses[thrown.status.code] ?? 503, message: thrown.message };
    }
  }

  onMoved(listener: () => void): () => void {
    return this.#options.live.onMoved(this.#partId, listener);
  }

  close(): void {
    this.#forwarder.close();
  }

  #authorize(call: ServerCall): Promise<void> | undefined {
    const { service, path, traits } = call.method;
    if (served.has(service)) return undefined;
    // Other services of the hub are not about one part.
    const isClosed = service === AUTHENTICATION || traits.needs === 'hub';
    if (isClosed) throw new ArmatureError('call.unimplemented', `${path} is not served for a part.`);
    const asking = this.#options.operating.require(call, this.#partId);
    if (this.#options.live.connected.get(this.#partId) !== undefined) return asking;
    const { store, live } = this.#options;
    return (asking ?? Promise.resolve()).then(async () => {
      throw await unreachable(store, live.presence, this.#partId);
    });
  }
}

/** The same service, for which a request that names no part means this one. */
function forPart<D extends ServiceDefinition>(
  definition: D,
  handlers: ServiceHandlers<D>,
  partId: string,
): ServiceHandlers<D> {
  return chosenService(definition, (request) => {
    const asked = request as { partId?: string; scope?: PresenceScope | undefined };
    // `partId` means the same in all of these services. The request was decoded for this call only, so it may be
    // changed.
    if (asked.partId === '' && definition.fullName !== AppServiceDefinition.fullName) asked.partId = partId;
    if (definition.fullName === PresenceServiceDefinition.fullName && isEmpty(asked.scope))
      asked.scope = scopeOf(partId);
    return handlers;
  });
}

function scopeOf(partId: string): PresenceScope {
  return { partId, machineId: '', locationId: '', organizationId: '' };
}

function isEmpty(scope: PresenceScope | undefined): boolean {
  return scope === undefined || Object.values(scope).every((id) => id === '');
}
