import path from 'node:path';
import { builtinApis, mountBuiltinApis } from '../apis/all.ts';
import { ServedApis } from '../apis/served-apis.ts';
import { Emitter } from '../base/async/emitter.ts';
import { ArmatureError } from '../base/errors.ts';
import type { ServerCall } from '../rpc/call.ts';
import { fullName } from '../../proto/config/names.ts';
import type { ForeignService, MountService, Router } from '../rpc/router.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { DashboardServiceDefinition } from '../../proto/gen/core/dashboard/v1/dashboard.ts';
import { HardwareServiceDefinition } from '../../proto/gen/core/hardware/v1/hardware.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { StatusServiceDefinition } from '../../proto/gen/core/status/v1/status.ts';
import { WatchServiceDefinition } from '../../proto/gen/core/watch/v1/watch.ts';
import type { Membership } from './cloud/config-cache.ts';
import { JoinedHub } from './cloud/joined-hub.ts';
import { ConfigFile } from './config/source/config-file.ts';
import { formatDiff } from './config/plan/format-diff.ts';
import type { MachineConfig, ParsedConfig } from './config/machine-config.ts';
import { memoryForConfig } from './config/reading/memory-need.ts';
import { parseConfig } from './config/reading/parse-config.ts';
import type { Plan } from './config/plan/plan.ts';
import { planChange } from './config/plan/planner.ts';
import { revisionOf } from '../base/revision.ts';
import { Configuration } from './apply/configuration.ts';
import { Capture } from './capture/capture.ts';
import { KeptDashboards } from './dashboards/kept-dashboards.ts';
import { ResourceGraph } from './graph/resource-graph.ts';
import { jobLoggerName, resourceOfLogger } from './logging/logger-names.ts';
import type { LogSettings } from './logging/log-settings.ts';
import { operationInterceptor } from './operations/operation-interceptor.ts';
import { OperationRegistry } from './operations/operation-registry.ts';
import { stopAll } from './operations/stop-all.ts';
import { failuresOf, readinessOf } from './readiness.ts';
import { configService } from './services/config-service.ts';
import { dashboardService } from './services/dashboard-service.ts';
import { DeferralRecordFile } from './apply/deferral-record.ts';
import { describeService } from './foreign/describe-service.ts';
import { ForeignApis } from './foreign/foreign-apis.ts';
import { MaintenanceGate } from './maintenance/maintenance-gate.ts';
import { RestartGate } from './apply/restart-gate.ts';
import { ModularResources } from './modular/modular-resources.ts';
import { remoteConnectors } from './remote-connectors.ts';
import { Jobs } from './jobs/jobs.ts';
import { Remotes } from './remotes/remotes.ts';
import { MachineOutputs } from './machine-outputs.ts';
import { PlanExecution } from './plan-execution.ts';
import { machineTelemetry } from './machine-telemetry.ts';
import { machineModules } from './machine-modules.ts';
import type { ModuleManager } from './modules/module-manager.ts';
import { sensorReader } from './maintenance/sensor-reader.ts';
import { hardwareService } from './services/hardware-service.ts';
import { logService } from './services/log-service.ts';
import { robotService } from './services/robot-service.ts';
import { statusService, type MachineSummary, type StatusSource } from './services/status-service.ts';
import { watchService } from './services/watch-service.ts';
import { MachineFiles } from './packages/machine-files.ts';
import { sessionInterceptor } from './sessions/session-interceptor.ts';
import { DEFAULT_WINDOW_MS } from './sessions/session.ts';
import { SessionRegistry } from './sessions/session-registry.ts';
import { TrialRecordFile } from './apply/trial-record.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { SharedPollers } from './watch/shared-pollers.ts';
import type { MachineOptions } from './machine-options.ts';

/**
 * One machine: its configuration, its resources, and its services. It knows no port: it is mounted on a router. It
 * treats a hub in the same process like a remote one.
 */
export class Machine {
  readonly configuration: Configuration;
  readonly graph: ResourceGraph;
  readonly modules: ModuleManager;
  readonly operations: OperationRegistry;
  readonly sessions: SessionRegistry;
  /** Called before this program is restarted. */
  readonly restarts: RestartGate;
  readonly #options: MachineOptions;
  readonly #hub: JoinedHub | undefined;
  readonly #files: MachineFiles;
  readonly #dashboards: KeptDashboards;
  readonly #capture: Capture;
  readonly #modular: ModularResources;
  readonly #remotes: Remotes;
  #foreign: ForeignApis | undefined;
  readonly #jobs: Jobs;
  readonly #outputs: MachineOutputs;
  readonly #telemetry: Telemetry;
  readonly #apis = new ServedApis();
  readonly #startedAt: number;
  readonly #stateChanged = new Emitter();
  #router: Router | undefined;
  #state: MachineSummary['state'] = 'initializing';

  constructor(options: MachineOptions) {
    const { clock, logs, catalog, configPath, environment, stateFolder } = options;
    this.#options = options;
    this.#startedAt = clock.now();
    const gate = new MaintenanceGate({ clock, readSensor: sensorReader(() => this.#router) });
    // A hub without a text yet is not an error: the machine runs nothing.
    const file = (): string => (this.#hub?.source === undefined ? configPath : '');
    // Uses built-in models only: the problems of a text must not depend on which modules are running.
    const parse = (text: string): ParsedConfig =>
      parseConfig(text === '' && this.#hub?.source !== undefined ? '{}' : text, {
        file: file(),
        isFile: this.#hub?.source === undefined,
        environment,
        catalog,
        packagePath: (type, name) => this.#files.models.pathOf(type, name),
        memoryBytes: memoryForConfig(),
        isEnvironmentUntrusted: options.modules.isEnvironmentUntrusted,
      });
    const { hub: membership } = options;
    this.#hub =
      membership === undefined
        ? undefined
        : new JoinedHub({
            ...membership,
            clock,
            logs,
            version: options.version,
            hostName: options.name,
            isUsable: (text) => parse(text).config !== undefined,
            moduleKey: options.modules.key,
            onRestart: () => void this.restarts.request('the hub', membership.onRestart),
          });
    // Each configuration file is a machine: several may share one home.
    const machine = revisionOf(path.resolve(configPath));
    this.#files = new MachineFiles({
      home: options.modules.home,
      machine,
      link: this.#hub?.link,
      clock,
      logs,
    });
    const connectors = remoteConnectors(options.remotes, clock, options.hub?.connect);
    this.#telemetry = machineTelemetry(this, {
      ...options,
      machine,
      connect: connectors.open,
      router: () => this.#router,
    });
    this.modules = machineModules({
      files: this.#files,
      ...options.modules,
      clock,
      logs,
      environment,
      resourceTimeoutMs: options.resourceTimeoutMs,
      machine,
      hub: () => this.#hub,
      router: () => this.#mountedRouter('a module is started'),
      mayInterrupt: () => gate.ask(this.configuration.running?.maintenance),
      recorded: (module, start) => this.#telemetry.outbound(module, start),
      isTracing: () => this.#telemetry.isTracing,
    });
    this.#capture = new Capture({
      folder: path.join(options.modules.home, 'capture', machine),
      router: () => this.#router,
      isReady: (name) => this.graph.resourceOf(name) !== undefined,
      hub: this.#hub?.link,
      readSensor: sensorReader(() => this.#router),
      clock,
      logger: logs.logger('core.data_manager'),
    });
    this.#modular = new ModularResources({
      builtin: catalog,
      directory: this.modules,
      clock,
      logger: logs.logger('core.modmanager'),
      resourceTimeoutMs: options.resourceTimeoutMs,
      foreign: () => this.#foreign,
    });
    this.#remotes = new Remotes({
      models: this.#modular.catalog,
      foreign: () => this.#foreign,
      ...connectors,
      outbound: (remote, start) => this.#telemetry.outbound(remote, start),
      clock,
      logger: logs.logger('core.remotes'),
      random: Math.random,
    });
    this.graph = new ResourceGraph({
      catalog: this.#remotes,
      packages: this.#files.models,
      clock,
      hardware: options.hardware,
      capture: this.#capture,
      isEnvironmentUntrusted: options.modules.isEnvironmentUntrusted,
      random: Math.random,
      loggerFor: (fullName) => logs.resource(fullName),
      logger: logs.logger('core.resource_manager'),
      resourceTimeoutMs: options.resourceTimeoutMs,
      spans: this.#telemetry,
    });
    this.#jobs = new Jobs({
      find: (name) => this.graph.named(name),
      serviceOf: (api) => this.#apis.serviceOf(api),
      router: () => this.#router,
      clock,
      logger: logs.logger('core.job_manager'),
      loggerFor: (job) => logs.logger(jobLoggerName(job)),
      random: Math.random,
    });
    this.#modular.catalog.onChange(() => this.graph.catalogChanged());
    this.#remotes.onChange(() => {
      this.graph.adopt(this.#remotes.resources());
      this.graph.catalogChanged();
    });
    this.#files.models.onChange(({ name, isReplaced }) => this.graph.packageChanged(name, isReplaced));
    this.operations = new OperationRegistry(clock);
    const outputs = new MachineOutputs(this.graph, () => this.sessions);
    this.#outputs = outputs;
    this.sessions = new SessionRegistry({
      clock,
      logger: logs.logger('core.sessions'),
      windowMs: DEFAULT_WINDOW_MS,
      stopOnDisconnect: true,
      apiOfService: (service) => this.#apis.apiOfService(service),
      stopResource: (resource, signal) => outputs.stopResource(resource, signal),
      isPinHeld: (pin) => outputs.isPinHeld(pin),
      makePinSafe: (pin) => outputs.makePinSafe(pin),
    });
    const stateFile = (what: string): string => path.join(stateFolder, `${what}-${machine}.json`);
    this.#dashboards = new KeptDashboards(stateFile('dashboards'), logs.logger('core.dashboards'));
    this.configuration = new Configuration({
      source: this.#hub?.source ?? new ConfigFile({ path: configPath, clock }),
      clock,
      logger: logs.logger('core.config'),
      parse,
      askModules: (parsed) => this.#modular.problems(parsed, file()),
      plan: (from, to) => planChange(from, to, this.#modular.catalog),
      applySettings: (plan) => this.#applySettings(plan),
      execute: new PlanExecution(this.modules, this.#files.models, this.#remotes, this.graph, this.#jobs).execute,
      failures: () => failuresOf(this.graph),
      resources: readinessOf(this.graph),
      trialRecord: new TrialRecordFile(stateFile('trial')),
      gate,
      deferralRecord: new DeferralRecordFile(stateFile('deferred')),
      applyLogLevels: (config) => logs.apply(logSettingsOf(config)),
    });
    this.restarts = new RestartGate({
      clock,
      logger: logs.logger('core.maintenance'),
      gate,
      configuration: this.configuration,
      isStarting: () => this.#state !== 'running',
    });
    this.#hub?.follow(this.configuration, this.statusSource());
  }

  get state(): MachineSummary['state'] {
    return this.#state;
  }

  /** The hub's description of this machine; undefined if there is no hub, or no answer yet. */
  get membership(): Membership | undefined {
    return this.#hub?.membership;
  }

  /** Calls `listener` when {@link state} changes. Returns an unsubscribe function. */
  onStateChange(listener: () => void): () => void {
    return this.#stateChanged.on(listener);
  }

  /**
   * Adds the machine's services, resource APIs and interceptors to a router. Interceptors for access are added before.
   * @param mountPart adds services that a hub also has for its parts, if both use one port
   */
  mount(
    router: Router,
    mountPart: MountService = (definition, handlers) => router.addService(definition, handlers),
  ): void {
    const { clock, hardware, logs } = this.#options;
    this.#router = router;
    this.#hub?.mount(router);
    router.addInterceptor(this.#telemetry.interceptor);
    this.#telemetry.follow((scope) => router.setScope(scope));
    router.addInterceptor(sessionInterceptor(this.sessions));
    router.addInterceptor(operationInterceptor(this.operations));
    mountBuiltinApis(router, (api) => this.graph.resolverFor(api));
    router.addService(RobotServiceDefinition, this.#robotService());
    mountPart(ConfigServiceDefinition, configService(this.configuration, this.#hub?.history));
    mountPart(DashboardServiceDefinition, dashboardService(this.#dashboards, this.#hub?.dashboards));
    router.addService(HardwareServiceDefinition, hardwareService(hardware));
    mountPart(LogServiceDefinition, logService(logs, clock));
    router.addService(StatusServiceDefinition, statusService(this.statusSource()));
    router.addService(WatchServiceDefinition, watchService(router, new SharedPollers(clock), builtinApis, clock));
    this.#foreign = new ForeignApis({
      places: [this.#modular.catalog, this.#remotes],
      clock,
      logger: logs.logger('core.modmanager'),
      describe: describeService,
      serve: (api, service) => this.addForeignApi(api, service),
      explain: (service, why) => router.explainAbsence(service, why),
    });
  }

  /**
   * Serves an API whose instances live in another process: calls are forwarded to the resource they name, which has a
   * `forwarder`; reflection and ResourceRPCSubtypes list it. Returns a function that removes it. Call it only after
   * mounting.
   * @param api triplet in our spelling
   */
  addForeignApi(api: string, service: ForeignService): () => void {
    const router = this.#mountedRouter(`${api} is added`);
    const removeApi = this.#apis.add({ api, service: service.fullName });
    const unserve = router.addForwardedService(service, this.graph.resolverFor(api));
    return () => {
      unserve();
      removeApi();
    };
  }

  /** Reads the configuration, which must happen before the port opens. Throws as {@link Configuration.load} does. */
  load(): Promise<MachineConfig> {
    return this.configuration.load();
  }

  /** Builds what the configuration names; settles when each resource is ready or has a reason why not. */
  async start(): Promise<void> {
    this.#hub?.link.start();
    await this.configuration.start();
    if (this.#state === 'initializing') this.#setState('running');
  }

  /** Stops all actuators in parallel, like StopAll. Throws `hardware.failed` naming those that did not confirm. */
  stopEverything(): Promise<void> {
    return stopAll({
      clock: this.#options.clock,
      operations: this.operations,
      caller: undefined,
      actuators: this.#outputs.actuators(),
      resourceOf: (call) => this.#resourceOf(call),
      extras: new Map(),
    });
  }

  /** Stops what moves, then closes everything. Settles within the graph's time limit. */
  async close(): Promise<void> {
    this.#setState('stopping');
    this.restarts.close();
    this.configuration.stop();
    this.modules.freeze();
    this.#jobs.close();
    // Before the stops, which end motions without an error: a motion that shutdown interrupted did not arrive.
    this.operations.cancelMotion(() => false, 'the end of the server');
    const left = this.#hub?.close();
    const { unclosed } = await this.graph.close();
    this.#foreign?.close();
    this.#remotes.close();
    this.#modular.close();
    await this.modules.close();
    await this.#files.close();
    await this.#telemetry.close();
    await left;
    await this.#options.hardware.close(); // includes what a resource that failed to close still drives
    this.sessions.dispose();
    for (const name of unclosed) this.#options.logs.logger('core.machine').warn(`${name} did not close in time.`);
  }

  #robotService(): ReturnType<typeof robotService> {
    const { clock, version, logs, shutDown } = this.#options;
    return robotService({
      clock,
      version,
      operations: this.operations,
      sessions: this.sessions,
      apis: () => this.#apis.list(),
      statuses: () => this.graph.statuses(),
      actuators: () => this.#outputs.actuators(),
      resourceOf: (call) => this.#resourceOf(call),
      drivenPins: () => this.#outputs.drivenPins(),
      isInitializing: () => this.#state === 'initializing',
      applied: () => {
        const { appliedRevision, appliedAt } = this.configuration.state;
        return { revision: appliedRevision, at: appliedAt };
      },
      publicRevision: (revision) => this.configuration.publicRevision(revision),
      network: () => this.configuration.running?.network,
      receiveLog: (entry, module) => {
        const named = resourceOfLogger(entry.logger);
        const resource = named !== undefined && this.graph.status(named) !== undefined ? named : undefined;
        logs.appendExternal({ module, resource, ...entry, time: entry.time ?? clock.now() });
      },
      receiveSpans: (spans) => this.#telemetry.receive(spans),
      modules: () => this.modules.statuses(),
      packages: () => this.#files.models.statuses(),
      jobs: () => this.#jobs.statuses(),
      restartModule: (nameOrId) => this.modules.restart(nameOrId),
      membership: async () => {
        // The first caller may come before a hub in this program is open.
        if (this.membership === undefined) await this.#hub?.link.tried();
        const { membership } = this;
        return membership === undefined ? undefined : { ...membership, partId: this.#options.hub?.partId() ?? '' };
      },
      shutDown,
    });
  }

  /** The status of the machine, its resources, modules, packages and remotes. */
  statusSource(): StatusSource {
    return {
      machine: () => this.#summary(),
      resources: () => this.graph.statuses(),
      modules: () => this.modules.statuses(),
      onModules: (listener) => this.modules.subscribe(listener),
      packages: () => this.#files.models.statuses(),
      onPackages: (listener) => this.#files.models.subscribe(listener),
      retryPackage: (name) => this.#files.models.retry(name),
      remotes: () => this.#remotes.statuses(),
      onRemotes: (listener) => this.#remotes.subscribe(listener),
      onChange: (listener) => {
        let isSnapshot = true; // the graph starts with one, and the service has its own
        const endings = [
          this.graph.subscribe((changes) => {
            if (!isSnapshot) listener(changes);
          }),
          this.configuration.subscribe(() => listener(undefined)),
          this.onStateChange(() => listener(undefined)),
        ];
        isSnapshot = false;
        return () => endings.forEach((end) => end());
      },
    };
  }

  #mountedRouter(what: string): Router {
    if (this.#router === undefined) throw new ArmatureError('internal.bug', `${what} before the machine is mounted.`);
    return this.#router;
  }

  #summary(): MachineSummary {
    const { revision, appliedRevision, problems, path } = this.configuration.state;
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    return {
      name: this.#options.name,
      state: this.#state,
      version: this.#options.version,
      desiredRevision: revision,
      appliedRevision,
      startedAt: this.#startedAt,
      configSource: path,
      errors,
      warnings: problems.length - errors,
    };
  }

  #resourceOf(call: ServerCall): string | undefined {
    const api = this.#apis.apiOfService(call.method.service);
    return api && fullName(api, call.resourceName);
  }

  #applySettings(plan: Plan): void {
    const { from, to } = plan;
    const { logs, revealsDiffs, onConfig } = this.#options;
    logs.apply(logSettingsOf(to));
    this.sessions.setWindow(to.network.heartbeatWindowMs);
    this.sessions.setStopOnDisconnect(to.network.stopOnDisconnect);
    this.#capture.configure(to.resources);
    this.#telemetry.configure(to.tracing);
    if (revealsDiffs && from !== undefined) {
      logs.logger('core.config').info(`configuration changed:\n${formatDiff(from, to)}`);
    }
    onConfig(to);
  }

  #setState(state: MachineSummary['state']): void {
    this.#state = state;
    this.#stateChanged.emit();
  }
}

/** The log settings of a configuration. */
function logSettingsOf(config: MachineConfig): LogSettings {
  return {
    patterns: config.log,
    resources: new Map(config.resources.map(({ fullName, logLevel }) => [fullName, logLevel])),
    modules: new Map(config.modules.map(({ name, logLevel }) => [name, logLevel])),
    jobs: new Map(config.jobs.map(({ name, logLevel }) => [jobLoggerName(name), logLevel])),
    isDebug: config.debug,
    isDeduplicationOff: config.disableLogDeduplication,
  };
}
