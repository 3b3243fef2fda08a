import type { JsonObject } from '../../apis/resource.ts';
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { formatDuration } from '../../../proto/config/duration.ts';
import { ChangeBatches } from '../../base/async/change-batches.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import { moduleDifference } from '../config/plan/plan-difference.ts';
import type { LogRegistry } from '../logging/log-registry.ts';
import type { Permission } from '../maintenance/maintenance-gate.ts';
import { StartCgroups } from './cgroup/start-cgroups.ts';
import { findIsolation, type IsolationMethod } from './isolation/isolation.ts';
import { DataFolders } from './data-folder.ts';
import {
  moduleEnvironment,
  nodeFolderOf,
  type EnvironmentInputs,
  type MachineIdentity,
} from './process/module-environment.ts';
import type { ModuleFiles, ModuleFilesSource } from './module-files.ts';
import type { RunOptions } from './run/run-options.ts';
import { ModuleRun } from './run/module-run.ts';
import type { ModuleChanges, ModuleStatus } from './module-status.ts';
import { ModuleSupervisor } from './module-supervisor.ts';
import { defaultTiming, type ModuleTiming } from './run/module-timing.ts';
import { ProcessGuard } from './process/process-guard.ts';
import type { ModuleAbsence, ModuleDirectory, RunningModule } from './run/running-module.ts';
import { StartFolders } from './process/start-folder.ts';
import { UsageSampler } from './process/usage-sampler.ts';

export interface ModuleManagerOptions extends Pick<RunOptions, 'router' | 'trust' | 'recorded'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly logs: Pick<LogRegistry, 'module' | 'appendExternal' | 'logger'>;
  /** The server's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The server's home. */
  readonly home: string;
  readonly files: ModuleFilesSource;
  /** The identity of this machine; read at each start. */
  readonly identity: () => MachineIdentity;
  /** Settles when the identity is known, or soon if it will not be known for now; awaited before each start. */
  readonly identified: () => Promise<void>;
  /** Distinguishes this machine from others with the same home. */
  readonly machine: string;
  /** The part whose folder below `<home>/module-data` is used; '' for a machine without a name of its own there. */
  readonly dataOwner: () => string;
  readonly resourceTimeoutMs: number;
  /** Overrides of {@link defaultTiming}. */
  readonly timing?: Partial<ModuleTiming>;
  /** Whether a newer version may interrupt a running module now. */
  readonly mayInterrupt: () => Promise<Permission>;
  /** How modules are isolated; detected if not given. */
  readonly isolation?: IsolationMethod;
  /** `-untrusted-env`: no process may be started. */
  readonly isEnvironmentUntrusted: boolean;
  /** Whether modules record spans; read at each start. */
  readonly isTracing?: () => boolean;
}

const UNTRUSTED = 'is not started: this server runs with -untrusted-env, which allows no processes';

/**
 * The modules of a machine. Each has its own supervisor and waits for no other. This class passes on configurations and
 * keeps track of which module serves what.
 */
export class ModuleManager implements ModuleDirectory {
  readonly #options: ModuleManagerOptions;
  readonly #timing: ModuleTiming;
  readonly #supervisors = new Map<string, ModuleSupervisor>();
  readonly #directoryChanged = new Emitter();
  /** Names of changed modules; their state is read when listeners are called. */
  readonly #changes: ChangeBatches<string>;
  readonly #sampler: UsageSampler;
  readonly #data: DataFolders;
  readonly #folders = new StartFolders();
  readonly #cgroups: StartCgroups;
  readonly #guard: ProcessGuard;
  #isolation: Promise<IsolationMethod> | undefined;
  /** In the order of the configuration. */
  #configs: readonly ModuleConfig[] = [];
  #isClosed = false;

  constructor(options: ModuleManagerOptions) {
    this.#options = options;
    this.#timing = { ...defaultTiming, ...options.timing };
    this.#data = new DataFolders({
      clock: options.clock,
      logger: options.logs.logger('core.modmanager'),
      home: options.home,
      owner: options.dataOwner,
      machine: options.machine,
    });
    const logger = options.logs.logger('core.modmanager');
    this.#cgroups = new StartCgroups(options.clock, logger);
    this.#guard = new ProcessGuard(options.clock, logger, () => ({
      folder: this.#folders.base,
      cgroup: this.#cgroups.base,
    }));
    this.#sampler = new UsageSampler({
      clock: options.clock,
      groups: () => new Set([...this.#supervisors.values()].flatMap(({ pid }) => (pid === 0 ? [] : pid))),
      onUsage: (usage) => {
        for (const supervisor of this.#supervisors.values()) {
          supervisor.usage = usage.get(supervisor.pid);
          this.#changes.upsert(supervisor.name, supervisor.name);
        }
      },
    });
    this.#changes = new ChangeBatches((thrown) =>
      logger.error(`A subscriber to states of modules failed: ${toArmatureError(thrown).message}`, { error: thrown }),
    );
  }

  /** Makes exactly the modules of a configuration run. Returns at once; no module waits for another. */
  apply(modules: readonly ModuleConfig[]): void {
    if (this.#isClosed) return;
    this.#configs = modules;
    this.#cgroups.endLeftOvers();
    this.#data.configure(modules.map(({ name }) => name));
    const wanted = new Set(modules.map(({ name }) => name));
    for (const supervisor of [...this.#supervisors.values()]) if (!wanted.has(supervisor.name)) supervisor.remove();
    for (const config of modules) this.#applyOne(config);
    this.#directoryChanged.emit();
  }

  get running(): readonly RunningModule[] {
    return this.#configs.flatMap(({ name }) => this.#supervisors.get(name)?.running ?? []);
  }

  absenceOf(moduleId: string): ModuleAbsence | undefined {
    let first: ModuleAbsence | undefined;
    for (const config of this.#configs) {
      if (config.moduleId !== moduleId) continue;
      const supervisor = this.#supervisors.get(config.name);
      if (supervisor?.running !== undefined) {
        // Modules without an id are never the same module: each has its own models.
        if (moduleId === '') continue;
        return undefined;
      }
      first ??= supervisor?.absence;
    }
    return first;
  }

  onChange(listener: () => void): () => void {
    return this.#directoryChanged.on(listener);
  }

  /** Every configured module in order, then those that are still stopping. */
  statuses(): readonly ModuleStatus[] {
    const names = new Set([...this.#configs.map(({ name }) => name), ...this.#supervisors.keys()]);
    return [...names].flatMap((name) => this.#supervisors.get(name)?.status ?? []);
  }

  /**
   * Calls back with changes, batched per turn of the event loop. Resource usage is measured while there are
   * subscribers. Returns an unsubscribe function.
   */
  subscribe(listener: (changes: ModuleChanges) => void): () => void {
    const unsubscribe = this.#changes.subscribe(({ upserted, removed }) =>
      listener({ upserted: upserted.flatMap((name) => this.#supervisors.get(name)?.status ?? []), removed }),
    );
    this.#sampler.start();
    return () => {
      unsubscribe();
      if (!this.#changes.hasListeners) this.#sampler.stop();
    };
  }

  /**
   * Restarts a module, whatever its state. Settles when it is ready again.
   * @param nameOrId as configured, or `namespace:module`
   * @throws {ArmatureError} `module.not_found`, `module.disabled`, or `module.failed` if it does not become ready
   */
  async restart(nameOrId: string): Promise<void> {
    const config =
      this.#configs.find(({ name }) => name === nameOrId) ??
      this.#configs.find(({ moduleId }) => moduleId === nameOrId);
    const supervisor = config === undefined ? undefined : this.#supervisors.get(config.name);
    if (supervisor === undefined) {
      const names = this.#configs.map(({ name }) => name).join(', ');
      throw new ArmatureError(
        'module.not_found',
        `No module "${nameOrId}" is configured here; there ${names === '' ? 'are none' : `is ${names}`}. Check "modules" in the configuration.`,
      );
    }
    await supervisor.restart();
  }

  /** Starts no more modules, because the machine is about to stop. Running ones continue. */
  freeze(): void {
    for (const supervisor of this.#supervisors.values()) supervisor.freeze();
  }

  /** Ends all modules at the same time. Call it after their resources were closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sampler.stop();
    await Promise.all([...this.#supervisors.values()].map((supervisor) => supervisor.close()));
    await this.#data.close();
    await this.#cgroups.close();
    this.#guard.close();
    // The folder is temporary anyway, so failing to remove it does not matter.
    await this.#folders.close().catch(() => undefined);
  }

  #applyOne(config: ModuleConfig): void {
    const supervisor = this.#supervisors.get(config.name);
    if (supervisor === undefined) {
      this.#add(config);
      return;
    }
    const before = supervisor.config;
    if (before === undefined) {
      supervisor.configure(config, undefined);
      return;
    }
    const difference = moduleDifference(before, config);
    if (difference === undefined) return;
    // Another version of the same module replaces the running one once it is complete.
    const others = moduleDifference(before, {
      ...config,
      version: before.version,
      raw: { ...config.raw, ...versionOf(before) },
    });
    supervisor.configure(config, others?.kind === 'restart' ? others.reason : undefined);
  }

  #add(config: ModuleConfig): void {
    const { clock, random, logs, files, mayInterrupt, isEnvironmentUntrusted } = this.#options;
    const { name } = config;
    const supervisor: ModuleSupervisor = new ModuleSupervisor(config, {
      clock,
      timing: this.#timing,
      random,
      logger: logs.module(name),
      source: files,
      firstRunEnvironment: (of, found) => moduleEnvironment(this.#facts(of, found, undefined)),
      startRun: (of, found, observer) =>
        new ModuleRun(
          {
            ...this.#options,
            timing: this.#timing,
            folders: this.#folders,
            cgroups: this.#cgroups,
            guard: this.#guard,
            isolation: () => (this.#isolation ??= this.#findIsolation()),
          },
          {
            config: of,
            files: found,
            environment: async (address) => {
              await this.#options.identified();
              return moduleEnvironment(this.#facts(of, found, address));
            },
            makeDataFolder: () => this.#data.make(of.name),
          },
          observer,
        ),
      mayInterrupt,
      refusal: isEnvironmentUntrusted ? UNTRUSTED : '',
      onChange: (isOfDirectory) => {
        this.#changes.upsert(name, name);
        if (isOfDirectory) this.#directoryChanged.emit();
      },
      onGone: () => {
        this.#supervisors.delete(name);
        this.#changes.remove(name);
      },
    });
    this.#supervisors.set(name, supervisor);
    supervisor.open();
  }

  async #findIsolation(): Promise<IsolationMethod> {
    const means = this.#options.isolation ?? (await findIsolation());
    if (means.kind === 'none') {
      const logger = this.#options.logs.logger('core.modmanager');
      logger.warn(
        `Modules are not kept apart: they run as the user of this server and can read its files (${means.reason}).`,
      );
    }
    return means;
  }

  #facts(config: ModuleConfig, files: ModuleFiles, address: string | undefined): EnvironmentInputs {
    const { environment, home, identity, resourceTimeoutMs } = this.#options;
    return {
      inherited: environment,
      nodeFolder: nodeFolderOf(process.execPath),
      name: config.name,
      moduleId: config.moduleId,
      root: files.root,
      dataFolder: this.#data.folderOf(config.name),
      home,
      address,
      startupTimeout: formatDuration(this.#timing.startupMs),
      resourceTimeout: formatDuration(resourceTimeoutMs),
      identity: identity(),
      isTracing: this.#options.isTracing?.() === true,
      env: config.env,
    };
  }
}

function versionOf({ raw }: ModuleConfig): JsonObject {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => key.toLowerCase() === 'version'));
}
