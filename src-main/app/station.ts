import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { join } from 'node:path';
import type { Clock, Timer } from '../base/clock.ts';
import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import { HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import { ServerReflectionDefinition } from '../../proto/gen/grpc/reflection/v1/reflection.ts';
import { ServerReflectionDefinition as AlphaReflectionDefinition } from '../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import { Machine } from '../machine/machine.ts';
import type { ComputerHardware } from '../hardware/computer-hardware.ts';
import type { MachineConfig } from '../machine/config/machine-config.ts';
import type { LogRegistry } from '../machine/logging/log-registry.ts';
import type { ModelCatalog } from '../machine/models/catalog-type.ts';
import { AccessControl } from '../rpc/access/access-control.ts';
import { keyFromText, type AccessPolicy } from '../rpc/access/access-policy.ts';
import { authService } from '../rpc/access/auth-service.ts';
import { WebChecks } from '../rpc/access/web-checks.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../rpc/call-router.ts';
import { servePort, type MainPort } from '../rpc/channel/message-port.ts';
import { CHANNEL_PATH, WebSocketChannels } from '../rpc/channel/websocket.ts';
import { healthService } from '../rpc/health.ts';
import { accessLogInterceptor } from '../rpc/interceptors/access-log.ts';
import { DEFAULT_DEADLINE_MS, deadlineInterceptor } from '../rpc/interceptors/deadline.ts';
import { inFlightLimitInterceptor } from '../rpc/interceptors/in-flight-limit.ts';
import { Listener } from '../rpc/listener.ts';
import { ownDescriptors, reflectionService } from '../rpc/reflection.ts';
import { StaticFiles } from '../rpc/static-files.ts';
import { homeFolder } from './home.ts';
import { followCertificate, parseBindAddress, readCertificate } from './network.ts';
import { WebProfiler } from './web-profiler.ts';
import { version } from './version.ts';

export interface StationOptions {
  readonly configPath: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Models that need no module. */
  readonly catalog: ModelCatalog;
  /** What those models drive; closed with the machine. */
  readonly hardware: ComputerHardware;
  readonly clock: Clock;
  readonly logs: LogRegistry;
  /** Folder of the page; undefined serves none. */
  readonly pageFolder: string | undefined;
  readonly resourceTimeoutMs: number;
  /** Calls under way for one resource (`SVC_RESOURCE_REQUESTS_LIMIT`). */
  readonly requestsLimit: number;
  readonly revealsDiffs: boolean;
  readonly allowsInsecureCreds: boolean;
  readonly noTls: boolean;
  /** `-webprofile` or `enable_web_profile`: serve the profiler below /debug. */
  readonly servesProfiler: boolean;
  /** Given by whoever restarts the program and wants the open page to come back; else a new one each start. */
  readonly launchToken: string | undefined;
  /** RobotService/Shutdown was called. */
  readonly onShutdownRequest: () => void;
}

const CALL_GRACE_MS = 1_000;

/** A machine behind one port: what the desktop program and the command line both run. */
export class Station {
  readonly machine: Machine;
  readonly #options: StationOptions;
  readonly #router: CallRouter;
  readonly #access: AccessControl;
  readonly #channels: WebSocketChannels;
  readonly #launchToken: string;
  #listener: Listener | undefined;
  #certificateCheck: Timer | undefined;
  #url = '';

  constructor(options: StationOptions) {
    const { clock, logs } = options;
    this.#options = options;
    this.#launchToken = options.launchToken ?? randomBytes(32).toString('base64url');
    const web = logs.logger('core.web');
    this.#router = new CallRouter({ clock, logger: web, maxMessageBytes: MAX_MESSAGE_BYTES });
    this.#access = new AccessControl(this.#policy(undefined), clock, logs.logger('core.access'));
    this.machine = new Machine({
      name: os.hostname(),
      version,
      configPath: options.configPath,
      stateFolder: join(homeFolder(options.environment), 'state'),
      environment: options.environment,
      catalog: options.catalog,
      hardware: options.hardware,
      clock,
      logs,
      resourceTimeoutMs: options.resourceTimeoutMs,
      revealsDiffs: options.revealsDiffs,
      onConfig: (config) => this.#access.setPolicy(this.#policy(config)),
      shutDown: options.onShutdownRequest,
    });
    this.#channels = new WebSocketChannels({ router: this.#router, admission: this.#access, clock, logger: web });
    this.#mount();
  }

  /** `http://localhost:8080`, once {@link listen} has settled. */
  get url(): string {
    return this.#url;
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
    const config = await this.machine.load();
    this.#access.setPolicy(this.#policy(config));
    const { network } = config;
    const certificate = noTls || network.noTls ? undefined : await readCertificate(network);
    const page = new StaticFiles({ root: pageFolder, logger: logs.logger('core.web') });
    const profiler = new WebProfiler(this.#access, () => this.machine.graph.statuses());
    this.#listener = new Listener({
      router: this.#router,
      clock,
      logger: logs.logger('core.web'),
      webAccess: new WebChecks(this.#access),
      certificate,
      onUpgrade: (request, socket, head) => this.#channels.handleUpgrade(request, socket, head),
      onPage: (request, response) => {
        const path = request.url?.split('?', 1)[0];
        if (path === CHANNEL_PATH) this.#channels.answerProbe(request, response);
        else if (this.#servesProfiler() && profiler.handles(request)) profiler.answer(request, response);
        else page.handle(request, response);
      },
      readiness: () => ({ isReady: this.machine.state === 'running', summary: this.machine.state }),
    });
    const address = parseBindAddress(network.bindAddress);
    const { port } = await this.#listener.listen(address);
    if (certificate !== undefined) {
      this.#certificateCheck = followCertificate(network, certificate, clock, logs.logger('core.web'), (renewed) =>
        this.#listener?.setCertificate(renewed),
      );
    }
    const isEverywhere = address.host === '' || address.host === '0.0.0.0' || address.host === '::';
    const host = isEverywhere ? 'localhost' : address.host.includes(':') ? `[${address.host}]` : address.host;
    this.#url = `${certificate === undefined ? 'http' : 'https'}://${host}:${port}`;
  }

  /** Builds what the configuration names. Settles when each resource is ready or says why not. */
  async start(): Promise<void> {
    await this.machine.start();
  }

  /** Serves the desktop window, which this program opened itself. */
  connectWindow(port: MainPort): void {
    servePort(port, {
      router: this.#router,
      clock: this.#options.clock,
      logger: this.#options.logs.logger('core.web'),
      onConnection: (connection) => this.#access.trustOwnWindow(connection),
    });
  }

  /** Stops everything that moves, and goes on serving: the desktop menu's emergency stop. */
  async stopAll(): Promise<void> {
    await this.machine.stopEverything();
  }

  /** Stops everything that moves, then closes: resources, channels, port. */
  async stop(): Promise<void> {
    this.#certificateCheck?.cancel();
    await this.machine.close();
    this.#channels.close('the server is stopping');
    await this.#listener?.close(CALL_GRACE_MS);
  }

  #mount(): void {
    const { clock, logs, requestsLimit } = this.#options;
    const web = logs.logger('core.web');
    const router = this.#router;
    router.addInterceptor(accessLogInterceptor(web, clock, () => web.isEnabled('debug')));
    router.addInterceptor(deadlineInterceptor(DEFAULT_DEADLINE_MS));
    router.addInterceptor(this.#access.interceptor);
    router.addInterceptor(inFlightLimitInterceptor(requestsLimit));
    this.machine.mount(router);
    router.addService(AuthServiceDefinition, authService(this.#access, clock));
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

  #servesProfiler(): boolean {
    return this.#options.servesProfiler || this.machine.configuration.running?.enableWebProfile === true;
  }

  #policy(config: MachineConfig | undefined): AccessPolicy {
    return {
      authEnabled: config?.auth.isEnabled ?? false,
      apiKeys: config?.auth.apiKeys.map(({ id, key }) => keyFromText(id, key)) ?? [],
      launchToken: this.#launchToken,
      fqdn: config?.network.fqdn || `${os.hostname().toLowerCase()}.local`,
      hostnames: [os.hostname()],
      allowedOrigins: config?.network.allowedOrigins ?? [],
      allowInsecureCreds: this.#options.allowsInsecureCreds,
    };
  }
}
