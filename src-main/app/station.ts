import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import os from 'node:os';
import { join, resolve } from 'node:path';
import type { Timer } from '../base/clock.ts';
import { ArmatureError, toArmatureError } from '../base/errors.ts';
import { revisionOf } from '../base/revision.ts';
import { hostInUrl } from '../base/server-address.ts';
import { NetworkServiceDefinition } from '../../proto/gen/core/network/v1/network.ts';
import { PageServiceDefinition } from '../../proto/gen/core/page/v1/page.ts';
import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import { SignalingServiceDefinition } from '../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { DiagnosticsServiceDefinition } from '../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import { HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import { ServerReflectionDefinition } from '../../proto/gen/grpc/reflection/v1/reflection.ts';
import { ServerReflectionDefinition as AlphaReflectionDefinition } from '../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import { PACKAGE_FILES } from '../hub/registry/models/file-path.ts';
import { Machine } from '../machine/machine.ts';
import type { HubMembership } from '../machine/cloud/joined-hub.ts';
import { setTcpUserTimeout } from '../hardware/tcp-user-timeout.ts';
import type { MachineConfig } from '../machine/config/machine-config.ts';
import { diagnosticsService } from '../machine/services/diagnostics-service.ts';
import { loadModuleKey, moduleKeyRecord, type ModuleKey } from '../machine/modules/module-key.ts';
import { AccessControl, bearerToken } from '../rpc/access/access-control.ts';
import { keyFromHash, keyFromText, type AccessPolicy } from '../rpc/access/access-policy.ts';
import { isOpenHere } from '../rpc/access/open-methods.ts';
import { isOwnHost, WebChecks } from '../rpc/access/web-checks.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../rpc/routing/call-router.ts';
import { desktopWindowConnection, servePort, type MainPort } from '../rpc/channel/message-port.ts';
import type { Connection, ServerCall } from '../rpc/call.ts';
import { firstValue } from '../rpc/metadata.ts';
import { SIGNALED_KEY } from '../rpc/webrtc/signaled-key.ts';
import { Signaling } from '../rpc/webrtc/signaling-calls.ts';
import { CHANNEL_PATH, WebSocketChannels, type ChannelRefusal, type ChannelTarget } from '../rpc/channel/websocket.ts';
import { healthService } from '../rpc/health.ts';
import { accessLogInterceptor } from '../rpc/interceptors/access-log.ts';
import { DEFAULT_DEADLINE_MS, deadlineInterceptor } from '../rpc/interceptors/deadline.ts';
import { inFlightLimitInterceptor } from '../rpc/interceptors/in-flight-limit.ts';
import { Listener, type Certificate } from '../rpc/port/listener.ts';
import type { LocalServer } from '../rpc/port/local-server.ts';
import { ownDescriptors, reflectionService } from '../rpc/reflection/reflection.ts';
import { answerText } from '../rpc/port/http-routes.ts';
import { StaticFiles } from '../rpc/port/static-files.ts';
import { ABOUT_PATH, answerAbout } from './about.ts';
import { pageService } from './browsers/page-service.ts';
import { RememberedBrowsers } from './browsers/remembered-browsers.ts';
import { EmbeddedHub } from './hub/embedded-hub.ts';
import { mountByPart, mountFleetServices, signalingByName } from './hub/fleet-services.ts';
import { homeFolder } from './home.ts';
import { membershipAt, membershipHere, type MembershipHooks } from './hub/hub-membership.ts';
import { MachineDiscovery } from './multicast/machine-discovery.ts';
import { answerRestartStatus, RESTART_STATUS_PATH } from './restart-status.ts';
import { followCertificate, parseBindAddress, readCertificate } from './network.ts';
import { StationDiagnostics } from './station-diagnostics.ts';
import { AccessGuard } from './access-guard.ts';
import { openUserSocket } from './user-socket/user-socket.ts';
import { WINDOW_PATH, WindowCode } from './window-code.ts';
import { WebProfiler } from './web-profiler.ts';
import { version } from './version.ts';
import type { StationOptions } from './station-options.ts';

const CALL_GRACE_MS = 1_000;

/** A machine behind one port: what the desktop program and the command line both run. */
export class Station {
  readonly machine: Machine;
  readonly #options: StationOptions;
  readonly #router: CallRouter;
  readonly #access: AccessControl;
  readonly #hub: EmbeddedHub | undefined;
  readonly #browsers: RememberedBrowsers;
  readonly #guard: AccessGuard;
  readonly #channels: WebSocketChannels;
  readonly #signaling: Signaling;
  readonly #diagnostics: StationDiagnostics;
  readonly #launchToken: string;
  #listener: Listener | undefined;
  #userSocket: LocalServer | undefined;
  readonly #discovery: MachineDiscovery;
  #moduleKey: ModuleKey | undefined;
  #certificateCheck: Timer | undefined;
  #hubCertificate: Certificate | undefined;
  /** Whether the configuration has no certificate, and does not turn TLS off. */
  #takesHubCertificate = false;
  #url = '';

  constructor(options: StationOptions) {
    const { clock, logs } = options;
    this.#options = options;
    this.#launchToken = options.launchToken ?? randomBytes(32).toString('base64url');
    const web = logs.logger('core.web');
    this.#router = new CallRouter({ clock, logger: web, maxMessageBytes: MAX_MESSAGE_BYTES });
    this.#access = new AccessControl(this.#policy(undefined), clock, logs.logger('core.access'), isOpenHere);
    this.#hub = this.#embeddedHub();
    this.#browsers = new RememberedBrowsers(join(homeFolder(options.environment), 'state', 'browsers'), clock);
    this.#guard = new AccessGuard(this.#access, this.#hub, this.#browsers);
    this.#discovery = new MachineDiscovery({
      isDisabled: !options.answersMulticast,
      interfaces: () => os.networkInterfaces(),
      clock,
      logger: web,
    });
    this.machine = new Machine({
      name: os.hostname(),
      version,
      configPath: options.configPath,
      hub: this.#membership(),
      stateFolder: join(homeFolder(options.environment), 'state'),
      environment: options.environment,
      catalog: options.catalog,
      hardware: options.hardware,
      clock,
      logs,
      resourceTimeoutMs: options.resourceTimeoutMs,
      modules: {
        home: homeFolder(options.environment),
        timing: { startupMs: options.moduleStartupMs, hangMs: options.moduleHangMs },
        isEnvironmentUntrusted: options.isEnvironmentUntrusted,
        key: () => this.#moduleKey,
        trust: (connection, module) => this.#access.trustModule(connection, module),
      },
      revealsDiffs: options.revealsDiffs,
      remotes: {
        // Machines of one hub have certificates of its authority.
        authority: options.cloud?.authority ?? '',
        usesWebRtc: options.usesWebRtc,
        allowsInsecureCreds: options.allowsInsecureCreds,
      },
      printsTelemetry: options.printsTelemetry,
      onConfig: (config) => this.#access.setPolicy(this.#policy(config)),
      shutDown: options.onShutdownRequest,
    });
    this.#channels = new WebSocketChannels({
      router: this.#router,
      admission: this.#guard,
      ...(this.#hub === undefined ? {} : { openPart: (partId, connection) => this.#openPart(partId, connection) }),
      clock,
      logger: web,
    });
    this.#signaling = new Signaling({
      router: this.#router,
      isOwnName: (name, call) => this.#isOwnName(name, call),
      admit: (connection, call) => this.#admitPeer(connection, call),
      library: () => import('node-datachannel'),
      clock,
      logger: web,
    });
    this.#diagnostics = new StationDiagnostics({
      isOn: options.recordsDiagnostics,
      home: homeFolder(options.environment),
      configPath: options.configPath,
      clock,
      logger: logs.logger('core.diagnostics'),
      connections: () => ({
        port: this.#listener?.connections ?? 0,
        channels: this.#channels.count,
        webrtc: this.#signaling.count,
      }),
    });
    this.#mount();
  }

  /** `http://localhost:8080`, once {@link listen} has settled. */
  get url(): string {
    return this.#url;
  }

  /** Path of the socket over which this user may call without authentication; undefined where there is none. */
  get userSocket(): string | undefined {
    return this.#userSocket?.address;
  }

  /** Address of the page with the launch token in its fragment, which browsers keep to themselves. */
  get pageUrl(): string {
    return `${this.#url}/#token=${this.#launchToken}`;
  }

  /**
   * Reads the configuration and opens the port: calls are answered from here on.
   * @throws {ArmatureError} `config.unreadable`, `config.invalid` or `server.cannot_bind`
   */
  async listen(): Promise<void> {
    const { clock, logs, noTls, pageFolder } = this.#options;
    // First, because the hub gets it as soon as the machine connects.
    this.#moduleKey = await this.#loadModuleKey();
    const config = await this.machine.load();
    this.#access.setPolicy(this.#policy(config));
    const { network } = config;
    const certificate = noTls || network.noTls ? undefined : await readCertificate(network);
    this.#takesHubCertificate = certificate === undefined && !noTls && !network.noTls;
    const page = new StaticFiles({ root: pageFolder, logger: logs.logger('core.web') });
    const profiler = new WebProfiler(this.#access, () => this.machine.graph.statuses());
    const windowCode = new WindowCode({
      code: this.#options.windowCode,
      launchToken: this.#launchToken,
      clock,
      refusals: this.#access.refusals,
    });
    this.#listener = new Listener({
      router: this.#router,
      clock,
      logger: logs.logger('core.web'),
      webAccess: new WebChecks(this.#access),
      certificate,
      mayTakeTls: this.#takesHubCertificate,
      setTcpUserTimeout,
      onUpgrade: (request, socket, head) => void this.#channels.handleUpgrade(request, socket, head),
      onPage: (request, response) => {
        const path = request.url?.split('?', 1)[0];
        if (path === RESTART_STATUS_PATH) void answerRestartStatus(this.machine.restarts, request, response);
        else if (path === CHANNEL_PATH) void this.#channels.answerProbe(request, response);
        else if (path === WINDOW_PATH) void windowCode.answer(request, response);
        else if (path === ABOUT_PATH) answerAbout(request, response, 'machine');
        else if (this.#hub !== undefined && path?.startsWith(PACKAGE_FILES) === true)
          void this.#answerPackageFile(this.#hub, request, response);
        else if (this.#servesProfiler() && profiler.handles(request)) profiler.answer(request, response);
        else page.handle(request, response);
      },
      readiness: () => ({ isReady: this.machine.state === 'running', summary: this.machine.state }),
    });
    if (this.#takesHubCertificate && this.#hubCertificate !== undefined) {
      this.#listener.setCertificate(this.#hubCertificate);
    }
    const address = parseBindAddress(this.#options.cloud?.bindAddress ?? network.bindAddress);
    const { port } = await this.#listener.listen(address);
    const opened = this.#discovery.open({
      host: address.host,
      port,
      isEncrypted: () => certificate !== undefined || (this.#takesHubCertificate && this.#hubCertificate !== undefined),
      names: () => this.#names(),
    });
    this.#userSocket = await openUserSocket({
      home: homeFolder(this.#options.environment),
      configPath: this.#options.configPath,
      port,
      router: this.#router,
      clock,
      logger: logs.logger('core.access'),
      trust: (connection, user) => this.#access.trustUser(connection, user),
    });
    if (certificate !== undefined) {
      this.#certificateCheck = followCertificate(network, certificate, clock, logs.logger('core.web'), (renewed) =>
        this.#listener?.setCertificate(renewed),
      );
    }
    await opened;
    const isEverywhere = address.host === '' || address.host === '0.0.0.0' || address.host === '::';
    const host = isEverywhere ? 'localhost' : hostInUrl(address.host);
    this.#url = `${certificate === undefined ? 'http' : 'https'}://${host}:${port}`;
  }

  /** Builds what the configuration names. Settles when each resource is ready or says why not. */
  async start(): Promise<void> {
    const started = this.machine.start();
    this.#diagnostics.start(this.machine);
    this.#hub?.startAfter(started);
    await started;
  }

  /**
   * Serves the desktop window, which this program opened itself.
   * @param partId leads to that part of the fleet; '' is this machine
   */
  async connectWindow(port: MainPort, partId: string): Promise<void> {
    const { clock, logs } = this.#options;
    const logger = logs.logger('core.web');
    const trust = (connection: Connection): void => this.#access.trustOwnWindow(connection);
    try {
      const target =
        partId === '' ? { router: this.#router } : await this.#openPart(partId, desktopWindowConnection(trust));
      if ('status' in target) throw new ArmatureError('call.not_found', target.message);
      const channel = servePort(port, { router: target.router, clock, logger, onConnection: trust });
      channel.connection.onClose(() => queueMicrotask(() => target.close?.()));
    } catch (thrown) {
      logger.warn(`the window has no channel to part ${partId}: ${toArmatureError(thrown).message}`);
      port.close();
    }
  }

  /** Stops everything that moves, and keeps serving: the desktop menu's emergency stop. */
  async stopAll(): Promise<void> {
    await this.machine.stopEverything();
  }

  /** Stops everything that moves, then closes: resources, channels, port. */
  async stop(): Promise<void> {
    this.#certificateCheck?.cancel();
    const left = this.#discovery.close();
    await this.machine.close();
    this.#channels.close('the server is stopping');
    this.#signaling.close('the server is stopping');
    // The port is free now, and a server that takes it must get the socket too.
    this.#userSocket?.stopListening();
    await left;
    await this.#listener?.close(CALL_GRACE_MS);
    this.#userSocket?.close();
    await this.#diagnostics.close();
    await this.#hub?.close();
  }

  async #answerPackageFile(hub: EmbeddedHub, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await (await hub.opened()).files.answer(request, response);
    } catch (thrown) {
      answerText(request, response, 503, `${toArmatureError(thrown).message}\n`);
    }
  }

  #mount(): void {
    const { clock, logs, requestsLimit } = this.#options;
    const web = logs.logger('core.web');
    const router = this.#router;
    const { interceptor: counter, records } = this.#diagnostics;
    if (counter !== undefined) router.addInterceptor(counter);
    router.addInterceptor(accessLogInterceptor(web, clock, () => web.isEnabled('debug')));
    router.addInterceptor(deadlineInterceptor(DEFAULT_DEADLINE_MS));
    router.addInterceptor(this.#guard.interceptor);
    router.addInterceptor(inFlightLimitInterceptor(requestsLimit));
    if (this.#hub === undefined) {
      this.machine.mount(router);
    } else {
      this.machine.mount(router, mountByPart(router, this.#hub, this.#guard));
      mountFleetServices(router, this.#hub, this.#guard);
    }
    router.addService(
      DiagnosticsServiceDefinition,
      diagnosticsService(records, clock, (since, signal) => this.#supportBundle(since, signal)),
    );
    router.addService(NetworkServiceDefinition, this.#discovery.service());
    router.addService(
      PageServiceDefinition,
      pageService(this.#browsers, (connection, browser) => this.#guard.bind(connection, browser)),
    );
    router.addService(AuthServiceDefinition, this.#guard.authService(clock));
    const own = this.#signaling.service();
    router.addService(
      SignalingServiceDefinition,
      this.#hub === undefined
        ? own
        : signalingByName(own, this.#hub, this.#guard, (name, call) => this.#isOwnName(name, call)),
    );
    const isReady = (): boolean => this.machine.state === 'running';
    router.addService(
      HealthDefinition,
      healthService(router, {
        get isReady() {
          return isReady();
        },
        onChange: (listener) => this.machine.onStateChange(listener),
      }),
    );
    const reflection = reflectionService(router, ownDescriptors);
    router.addService(ServerReflectionDefinition, reflection);
    router.addService(AlphaReflectionDefinition, reflection);
  }

  /** The channel of this machine for its own id, else that of a part of the fleet. */
  async #openPart(partId: string, connection: Connection): Promise<ChannelTarget | ChannelRefusal> {
    const opened = await this.#hub?.opened();
    if (opened === undefined || opened.partId === partId) return { router: this.#router };
    const { PartChannel } = await import('../hub/channels/part-channel.ts');
    const { clock, logs } = this.#options;
    const web = logs.logger('core.web');
    const access = [
      accessLogInterceptor(web, clock, () => web.isEnabled('debug')),
      deadlineInterceptor(DEFAULT_DEADLINE_MS),
      this.#guard.partInterceptor,
    ];
    return PartChannel.open(opened.channels, partId, access, connection);
  }

  async *#supportBundle(since: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { stationBundle } = await import('./support-bundle/station-bundle.ts');
    const parts = { station: this.#options, machine: this.machine, records: this.#diagnostics.records.folder };
    yield* stationBundle({ ...parts, secrets: [this.#launchToken] }, since, signal);
  }

  #loadModuleKey(): Promise<ModuleKey> {
    const { environment, configPath, logs } = this.#options;
    // One machine a configuration file: several may have one home.
    const name = `module-key-${revisionOf(resolve(configPath))}.json`;
    return loadModuleKey(moduleKeyRecord(join(homeFolder(environment), 'state', name)), logs.logger('core.modmanager'));
  }

  #embeddedHub(): EmbeddedHub | undefined {
    const { cloud, runsHub, configPath, environment, clock, logs, allowsInsecureCreds } = this.#options;
    const { isEnvironmentUntrusted } = this.#options;
    if (cloud !== undefined || !runsHub) return undefined;
    return new EmbeddedHub({
      folder: join(homeFolder(environment), 'hub'),
      configPath,
      hostName: os.hostname(),
      clock,
      logger: logs.logger('core.hub'),
      allowsInsecureCreds,
      isEnvironmentUntrusted,
      refusals: this.#access.refusals,
    });
  }

  #membership(): HubMembership | undefined {
    const { cloud, environment, logs, onShutdownRequest } = this.#options;
    const hooks: MembershipHooks = {
      trust: (connection) => this.#access.trustHub(connection),
      onMembership: () => this.#access.setPolicy(this.#policy(this.machine.configuration.running)),
      onCertificate: (certificate) => {
        this.#hubCertificate = certificate;
        if (this.#takesHubCertificate) this.#listener?.setCertificate(certificate);
      },
      onRestart: () => {
        logs.activity.info('stopping: the hub was asked for a restart', {});
        onShutdownRequest();
      },
    };
    const home = homeFolder(environment);
    if (cloud !== undefined) return membershipAt(cloud, home, hooks);
    return this.#hub === undefined ? undefined : membershipHere(this.#hub, home, hooks);
  }

  /** Under which clients look for this machine. */
  #names(): readonly string[] {
    const names = [this.machine.configuration.running?.network.fqdn ?? '', this.machine.membership?.fqdn ?? ''];
    return [...new Set(names.filter((name) => name !== ''))];
  }

  /** Whether a caller over WebRTC asks for this machine, with its port or without. */
  #isOwnName(name: string, { connection }: ServerCall): boolean {
    const port = `:${URL.parse(this.#url)?.port ?? ''}`;
    const host = name.endsWith(port) ? name.slice(0, -port.length) : name;
    return isOwnHost(host.toLowerCase(), this.#access.policy, connection.localAddress);
  }

  /** Callers that may signal over clear text without authentication may call so too: all others have shown a token. */
  async #admitPeer(connection: Connection, call: ServerCall): Promise<void> {
    if (call.principal.kind === 'hub') {
      const keyId = firstValue(call.metadata, SIGNALED_KEY);
      if (keyId === undefined) {
        throw new ArmatureError('access.denied', 'Signal at the port of the hub, with an API key of it.');
      }
      if (this.#access.trustKey(connection, keyId)) return;
      throw new ArmatureError(
        'access.denied',
        `The machine does not know the key "${keyId}" of its hub: it was revoked. Use another one.`,
      );
    }
    const token = bearerToken(firstValue(call.metadata, 'authorization'));
    if (token === undefined && this.#access.isOpenTo(call)) return;
    const verdict = await this.#guard.admit(connection, token);
    if (!verdict.allowed) throw new ArmatureError('access.unauthenticated', verdict.message);
  }

  #servesProfiler(): boolean {
    return this.#options.servesProfiler || this.machine.configuration.running?.enableWebProfile === true;
  }

  #policy(config: MachineConfig | undefined): AccessPolicy {
    // There is no machine yet while it is being created.
    const membership = (this.machine as Machine | undefined)?.membership;
    // A hub in this program knows its keys itself, and what each may do.
    const sent = this.#hub === undefined ? membership?.keys : undefined;
    const ofHub = sent?.map(({ id, sha256, role }) => keyFromHash(id, sha256, role)) ?? [];
    const own = this.#moduleKey;
    const ofModules = own === undefined ? [] : [{ ...keyFromText(own.id, own.key, 'operator'), isOfModules: true }];
    const ownName = `${os.hostname().toLowerCase()}.local`;
    return {
      authEnabled: config?.auth.isEnabled ?? false,
      apiKeys: [...(config?.auth.apiKeys.map(({ id, key }) => keyFromText(id, key)) ?? []), ...ofHub, ...ofModules],
      launchToken: this.#launchToken,
      fqdn: config?.network.fqdn || (this.#hub === undefined && membership?.fqdn) || ownName,
      hostnames: [os.hostname(), ...(membership === undefined ? [] : [membership.fqdn])],
      allowedOrigins: config?.network.allowedOrigins ?? [],
      allowInsecureCreds: this.#options.allowsInsecureCreds,
    };
  }
}
