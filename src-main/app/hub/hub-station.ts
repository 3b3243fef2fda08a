import { hostname } from 'node:os';
import type { Clock, Timer } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { hostInUrl, parseServerAddress } from '../../base/server-address.ts';
import { computerHosts } from '../../hub/access/certificates/computer-hosts.ts';
import type { HubAccess } from '../../hub/access/hub-access.ts';
import { OriginChecks } from '../../hub/access/origin-checks.ts';
import type { FirstStart } from '../../hub/first-start.ts';
import { PartChannel } from '../../hub/channels/part-channel.ts';
import { Hub } from '../../hub/hub.ts';
import { mountWithAccess } from '../../hub/hub-door.ts';
import { PACKAGE_FILES } from '../../hub/registry/models/file-path.ts';
import { PackageFiles } from '../../hub/registry/models/package-files.ts';
import { HealthDefinition } from '../../../proto/gen/grpc/health/v1/health.ts';
import { ServerReflectionDefinition } from '../../../proto/gen/grpc/reflection/v1/reflection.ts';
import { ServerReflectionDefinition as AlphaReflectionDefinition } from '../../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import { setTcpUserTimeout } from '../../hardware/tcp-user-timeout.ts';
import type { BindAddress } from '../../rpc/port/bind.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import { forwardUpgrade } from '../../rpc/channel/forward-upgrade.ts';
import { CHANNEL_PATH, WebSocketChannels } from '../../rpc/channel/websocket.ts';
import { healthService } from '../../rpc/health.ts';
import { accessLogInterceptor } from '../../rpc/interceptors/access-log.ts';
import { DEFAULT_DEADLINE_MS, deadlineInterceptor } from '../../rpc/interceptors/deadline.ts';
import type { ConnectionLimits } from '../../rpc/port/connection-limits.ts';
import { Listener, type Certificate } from '../../rpc/port/listener.ts';
import { ownDescriptors, reflectionService } from '../../rpc/reflection/reflection.ts';
import { StaticFiles } from '../../rpc/port/static-files.ts';
import { ABOUT_PATH, answerAbout } from '../about.ts';
import { machineNameOf } from '../computer-names.ts';
import { version } from '../version.ts';

export interface HubStationOptions {
  /** Where the hub's data is: `postgres://...`, or a folder. */
  readonly address: string;
  /** Of the hub's files: packages of modules. */
  readonly folder: string;
  /** Of a bucket that keeps the files instead. */
  readonly filesAddress?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isDebug: boolean;
  readonly bind: BindAddress;
  readonly isTlsOff: boolean;
  readonly allowsInsecureCreds: boolean;
  readonly allowedOrigins: readonly string[];
  /** Where the other hubs of the same data reach this one, `https://10.0.0.1:8090`; undefined for a hub alone. */
  readonly cluster?: string | undefined;
  /** Names in the certificate of the port, besides the names and addresses of this computer. */
  readonly alternativeHosts?: readonly string[];
  /** The hub cannot go on: another one may use its data. */
  readonly onLost: (reason: string) => void;
  /** Folder of the page; undefined serves none. */
  readonly pageFolder: string | undefined;
}

const CALL_GRACE_MS = 1_000;
/** A fleet's machines each hold one, its people a few. After a restart of the hub they all come at once. */
const CONNECTION_LIMITS: ConnectionLimits = {
  total: 20_000,
  fromElsewhere: 19_900,
  unproven: 2_048,
  unprovenPerAddress: 1_024,
  unprovenRequests: 4_096,
  unprovenBytes: 32 * 1024 * 1024,
  unfinishedBytes: 128 * 1024 * 1024,
};
/**
 * The kernel detects lost machines (`rpc/port/tcp-timeouts.ts`), at no cost to a hub with thousands of them. They ping
 * every four minutes; one that does not, because its program hangs, is pinged.
 */
const KEEPALIVE = { intervalMs: 300_000, timeoutMs: 10_000, isForQuiet: true };
/** Age at which the port gets another certificate: often within the life of one. */
const RENEWAL_MS = 7 * 24 * 60 * 60 * 1_000;
/** A clock that was set back by more made a certificate that is too new for everybody else. */
const SET_BACK_MS = 60 * 60 * 1_000;
/** How often that and the addresses are looked at: a hub that clients refuse is back soon after it has what it needs. */
const LOOK_MS = 10_000;

/** A hub with its own port, as `armature hub` runs it. */
export class HubStation {
  readonly #hub: Hub;
  readonly #options: HubStationOptions;
  readonly #router: CallRouter;
  readonly #access: HubAccess;
  readonly #channels: WebSocketChannels;
  #listener: Listener | undefined;
  #renewal: Timer | undefined;
  /** When the certificate of the port was made, wall-clock milliseconds. */
  #issuedAt = 0;
  /** What it was made for. A hub may start before its network. */
  #issuedFor: readonly string[] = [];
  #url = '';
  #isStopping = false;
  readonly #readinessChanged = new Emitter();

  private constructor(options: HubStationOptions, hub: Hub) {
    const { clock, logger } = options;
    this.#options = options;
    this.#hub = hub;
    this.#router = new CallRouter({ clock, logger, maxMessageBytes: MAX_MESSAGE_BYTES });
    const steps = [
      accessLogInterceptor(logger, clock, () => options.isDebug),
      deadlineInterceptor(DEFAULT_DEADLINE_MS),
    ];
    for (const interceptor of steps) this.#router.addInterceptor(interceptor);
    this.#access = mountWithAccess(hub, this.#router, options);
    const access = [...steps, this.#access.interceptor];
    const channels = { ...hub.parts, mount: hub.mount };
    this.#channels = new WebSocketChannels({
      router: this.#router,
      openPart: async (partId, connection, headers) => {
        const home = await hub.shared?.channelHome(partId, headers);
        if (home === undefined) return PartChannel.open(channels, partId, access, connection);
        return { forward: (request, socket, head) => forwardUpgrade(request, socket, head, home) };
      },
      admission: this.#access,
      clock,
      logger,
    });
    this.#mountPublicServices();
  }

  /** Opens the hub's data. Throws as {@link Hub.open} does. */
  static async open(options: HubStationOptions): Promise<HubStation> {
    const { address, folder, filesAddress, clock, logger, onLost: onStoreLost } = options;
    const cluster = options.cluster === undefined ? undefined : { address: options.cluster, version };
    const place = { address, folder, filesAddress, cluster };
    const hub = await Hub.open({ ...place, clock, logger, machineName: machineNameOf(hostname()), onStoreLost });
    return new HubStation(options, hub);
  }

  /** What this start made, where it was the first. */
  get firstStart(): FirstStart | undefined {
    return this.#hub.parts.firstStart;
  }

  /** `https://localhost:8090`, once {@link listen} has settled. */
  get url(): string {
    return this.#url;
  }

  /** Where the hub's data is, as it may be shown. */
  get data(): string {
    return this.#hub.parts.store.place;
  }

  /** SHA-256 of the authority's certificate, or undefined where the port is clear text. */
  get fingerprint(): string | undefined {
    return this.#options.isTlsOff ? undefined : this.#hub.parts.authority.fingerprint;
  }

  /**
   * Opens the port: calls are answered from here on.
   * @throws {ArmatureError} `server.cannot_bind`
   */
  async listen(): Promise<void> {
    const { clock, logger, bind, isTlsOff, allowedOrigins, pageFolder } = this.#options;
    const page = new StaticFiles({ root: pageFolder, logger });
    const { parts } = this.#hub;
    const files = new PackageFiles({ ...parts, packages: parts.registry.others, access: this.#access, clock, logger });
    const certificate = isTlsOff ? undefined : await this.#issue();
    this.#listener = new Listener({
      router: this.#router,
      clock,
      logger,
      webAccess: new OriginChecks(allowedOrigins, this.#hub.parts.refusals),
      certificate,
      onUpgrade: (request, socket, head) => void this.#channels.handleUpgrade(request, socket, head),
      onPage: (request, response) => {
        const path = request.url?.split('?', 1)[0];
        if (path === CHANNEL_PATH) void this.#channels.answerProbe(request, response);
        else if (path === ABOUT_PATH) answerAbout(request, response, 'hub');
        else if (path?.startsWith(PACKAGE_FILES) === true) void files.answer(request, response);
        else page.handle(request, response);
      },
      connectionLimits: CONNECTION_LIMITS,
      keepalive: KEEPALIVE,
      setTcpUserTimeout,
      readiness: () => ({ isReady: !this.#isStopping, summary: this.#isStopping ? 'stopping' : 'running' }),
    });
    const { port } = await this.#listener.listen(bind);
    if (certificate !== undefined) this.#renewal = clock.every(LOOK_MS, () => void this.#renew());
    const isEverywhere = bind.host === '' || bind.host === '0.0.0.0' || bind.host === '::';
    const host = isEverywhere ? 'localhost' : hostInUrl(bind.host);
    this.#url = `${isTlsOff ? 'http' : 'https'}://${host}:${port}`;
  }

  /** Lets calls under way end, then closes the port and the data. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#readinessChanged.emit();
    this.#renewal?.cancel();
    this.#channels.close('the hub is stopping');
    await this.#listener?.close(CALL_GRACE_MS);
    this.#access.close();
    await this.#hub.close();
  }

  #issue(): Promise<Certificate> {
    this.#issuedAt = this.#options.clock.now();
    this.#issuedFor = this.#hosts();
    return this.#hub.parts.authority.issue(this.#issuedFor);
  }

  #hosts(): readonly string[] {
    const { bind, cluster = '', alternativeHosts = [] } = this.#options;
    const { host } = parseServerAddress(cluster) ?? bind;
    return computerHosts([bind.host, host, ...alternativeHosts]);
  }

  async #renew(): Promise<void> {
    const age = this.#options.clock.now() - this.#issuedAt;
    const isForAll = this.#hosts().every((host) => this.#issuedFor.includes(host));
    if (isForAll && age < RENEWAL_MS && age > -SET_BACK_MS) return;
    try {
      this.#listener?.setCertificate(await this.#issue());
    } catch (thrown) {
      this.#options.logger.error(`The certificate of the port was not renewed: ${toArmatureError(thrown).message}`);
    }
  }

  #mountPublicServices(): void {
    const router = this.#router;
    const isReady = (): boolean => !this.#isStopping;
    router.addService(
      HealthDefinition,
      healthService(router, {
        get isReady() {
          return isReady();
        },
        onChange: (listener) => this.#readinessChanged.on(listener),
      }),
    );
    const reflection = reflectionService(router, ownDescriptors);
    router.addService(ServerReflectionDefinition, reflection);
    router.addService(AlphaReflectionDefinition, reflection);
  }
}
