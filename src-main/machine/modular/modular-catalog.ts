import { findApi } from '../../apis/all.ts';
import { nearest } from '../../../proto/config/nearest.ts';
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import type { Logger } from '../../base/logger.ts';
import type { Peer } from '../../rpc/peer/peer.ts';
import type { Forwarder } from '../../rpc/router.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { ModelSource } from '../graph/building/desired.ts';
import type { Obstacle } from '../graph/node.ts';
import type { ModelCatalog } from '../catalog/catalog-type.ts';
import type { CatalogEntry } from '../catalog/model.ts';
import type { ModuleAbsence, ModuleDirectory, OfferedModel, RunningModule } from '../modules/run/running-module.ts';
import { isMoving, type ApiSource, type ApiSources, type StoppableApis } from '../foreign/foreign-apis.ts';
import { DependencyCache } from './dependency-cache.ts';
import { startOf } from './module-calls.ts';
import { ModuleEntry } from './module-entry.ts';
import { ModuleProcess } from './module-process.ts';
import { SlowStarts } from './slow-starts.ts';

export interface ModularCatalogOptions {
  readonly builtin: ModelCatalog;
  readonly directory: ModuleDirectory;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time limit for a module to create or change an instance. */
  readonly resourceTimeoutMs: number;
  /** Passes calls on to a process. */
  readonly forwarderFor: (peer: Peer) => Forwarder;
  readonly foreign: () => StoppableApis | undefined;
}

/**
 * The built-in models, and those of the running modules. If two modules have the same model, the one configured first
 * provides it.
 */
export class ModularCatalog implements ModelCatalog, ModelSource, ApiSources {
  readonly #options: ModularCatalogOptions;
  readonly #answers = new DependencyCache();
  readonly #processes = new Map<RunningModule, ModuleProcess>();
  readonly #sources = new WeakMap<ModuleProcess, ApiSource>();
  #entries: ReadonlyMap<string, CatalogEntry> = new Map();
  readonly #changed = new Emitter();
  /** Ids of modules that were running or are expected. */
  readonly #ids = new Set<string>();
  /** The last failure of each module, by name, until the module is ready again. */
  readonly #failures = new Map<string, string>();
  /** Pairs of modules that a warning was logged for. */
  readonly #warned = new Set<string>();
  readonly #slowStarts: SlowStarts;
  readonly #unsubscribe: () => void;

  constructor(options: ModularCatalogOptions) {
    this.#options = options;
    this.#slowStarts = new SlowStarts(options.clock, () => this.#changed.emit());
    this.#unsubscribe = options.directory.onChange(() => this.#update());
    this.#update();
  }

  /** The running modules, in the order of the configuration. */
  get processes(): readonly ModuleProcess[] {
    return [...this.#processes.values()];
  }

  get sources(): readonly ApiSource[] {
    return this.processes.map((process) => this.#sourceOf(process));
  }

  get answers(): DependencyCache {
    return this.#answers;
  }

  entries(): readonly CatalogEntry[] {
    return [...this.#options.builtin.entries(), ...this.#entries.values()];
  }

  find(api: string, model: string): CatalogEntry | undefined {
    return this.#options.builtin.find(api, model) ?? this.#entries.get(keyOf({ api, model }));
  }

  apis(): readonly string[] {
    return [...new Set([...this.#options.builtin.apis(), ...[...this.#entries.values()].map(({ api }) => api)])].sort();
  }

  /** The process that serves a model now. */
  processOf(api: string, model: string): ModuleProcess | undefined {
    const name = this.#entries.get(keyOf({ api, model }))?.module;
    return this.processes.find(({ module }) => module.name === name);
  }

  /**
   * A message that the module whose id a model begins with is running but does not have the model; undefined otherwise.
   */
  missingOffer({ api, model }: ResourceConfig): string | undefined {
    if (this.find(api, model) !== undefined) return undefined;
    const moduleId = model.split(':').slice(0, 2).join(':');
    const running = this.#options.directory.running.find((module) => module.moduleId === moduleId);
    return running === undefined ? undefined : withoutOffer(running, api, model);
  }

  /** Calls back after each change of the models or processes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /** Why the model of a resource is not available now. */
  obstacleTo({ api, model }: ResourceConfig): Obstacle {
    const { directory } = this.#options;
    const moduleId = model.split(':').slice(0, 2).join(':');
    const absence = this.#absenceOf(moduleId);
    if (absence !== undefined) return this.#obstacleOf(absence);
    const running = directory.running.find((module) => module.moduleId === moduleId);
    if (running !== undefined) {
      const reason = `waiting for ${withoutOffer(running, api, model)}`;
      return { kind: 'no-model', for: model, reason, ...unavailable };
    }
    // A local module that names no id may bring any model.
    const unnamed = this.#absenceOf('');
    if (unnamed !== undefined) return this.#obstacleOf(unnamed);
    const reason =
      `waiting for a module that provides model ${model} of ${api}; none is configured with the module_id ${moduleId}, ` +
      'add it to "modules"';
    return { kind: 'no-model', for: model, reason, ...unavailable };
  }

  close(): void {
    this.#slowStarts.close();
    this.#unsubscribe();
    this.#changed.clear();
  }

  #absenceOf(moduleId: string): ModuleAbsence | undefined {
    this.#ids.add(moduleId);
    return this.#options.directory.absenceOf(moduleId);
  }

  #obstacleOf({ name, kind, reason }: ModuleAbsence): Obstacle {
    switch (kind) {
      case 'failed':
        return { kind: 'failed', reason };
      case 'starting': {
        const begin = `module ${name} is `;
        const doing = reason.startsWith(begin) ? reason.slice(begin.length) : 'starting';
        const failure = this.#failures.get(name);
        const why = failure === undefined ? '' : `: ${failure}`;
        const words = `waiting for module ${name}, which is ${doing}${why}`;
        const isTransient = !this.#slowStarts.isSlow(name);
        const isUnderWay = failure === undefined;
        return { kind: 'no-model', for: `module/${name}`, reason: words, isTransient, isUnderWay };
      }
      case 'disabled': {
        const words = `waiting for module ${name}, which is disabled`;
        return { kind: 'no-model', for: `module/${name}`, reason: words, ...unavailable };
      }
    }
  }

  /** A module that restarts at once leaves hardly any time to see why it failed, so the reason is kept. */
  #noteFailures(): void {
    const { directory } = this.#options;
    for (const { name, moduleId } of directory.running) {
      this.#ids.add(moduleId);
      this.#failures.delete(name);
      this.#slowStarts.ended(name);
    }
    for (const moduleId of this.#ids) {
      const absence = directory.absenceOf(moduleId);
      if (absence !== undefined && absence.kind !== 'starting') this.#slowStarts.ended(absence.name);
      if (absence?.kind === 'failed') this.#failures.set(absence.name, absence.reason);
      else if (absence?.kind === 'disabled') this.#failures.delete(absence.name);
    }
  }

  #update(): void {
    const { directory, clock, forwarderFor } = this.#options;
    this.#noteFailures();
    const before = new Map(this.#processes);
    this.#processes.clear();
    const previous = this.#entries;
    const entries = new Map<string, CatalogEntry>();
    for (const module of directory.running) {
      const process = before.get(module) ?? new ModuleProcess(module, forwarderFor(module.peer), clock);
      this.#processes.set(module, process);
      for (const offered of module.models) {
        const key = keyOf(offered);
        const other = this.#options.builtin.find(offered.api, offered.model) ?? entries.get(key);
        if (other !== undefined) this.#warnOfTwo(offered, other, module);
        else entries.set(key, this.#kept(previous.get(key), process) ?? this.#newEntry(process, offered));
      }
    }
    this.#entries = entries;
    this.#changed.emit();
  }

  #sourceOf(process: ModuleProcess): ApiSource {
    const known = this.#sources.get(process);
    if (known !== undefined) return known;
    const { module, closed } = process;
    const source = {
      label: `the module ${module.name}`,
      apis: module.models,
      start: startOf(module.peer),
      closed,
      isToReturn: () => {
        const absence = this.#options.directory.absenceOf(module.moduleId);
        return absence?.name === module.name && absence.kind !== 'disabled';
      },
    };
    this.#sources.set(process, source);
    return source;
  }

  #kept(entry: CatalogEntry | undefined, process: ModuleProcess): CatalogEntry | undefined {
    return entry instanceof ModuleEntry && entry.isOf(process) ? entry : undefined;
  }

  #newEntry(process: ModuleProcess, offered: OfferedModel): ModuleEntry {
    const { api } = offered;
    const isStoppable = (): boolean => isMoving(api, this.#options.foreign());
    return new ModuleEntry({
      process,
      offered,
      answers: this.#answers,
      resourceTimeoutMs: this.#options.resourceTimeoutMs,
      isStoppable,
      learnsStoppable: async (signal) => {
        if (findApi(api) === undefined) await this.#options.foreign()?.described(api, signal);
        return isStoppable();
      },
    });
  }

  #warnOfTwo({ api, model }: OfferedModel, first: CatalogEntry, second: RunningModule): void {
    if (first.module === second.name) return;
    const winner = first.module === undefined ? 'this program itself' : `the module ${first.module}`;
    const pair = `${winner} ${second.name} ${api} ${model}`;
    if (this.#warned.has(pair)) return;
    this.#warned.add(pair);
    this.#options.logger.warn(
      `The module ${second.name} has the model ${model} of ${api} too; ${winner} comes first and is used.`,
    );
  }
}

/** Nothing is in progress that would change this. */
const unavailable = { isTransient: false, isUnderWay: false } as const;

function keyOf({ api, model }: { readonly api: string; readonly model: string }): string {
  return `${api} ${model}`;
}

function withoutOffer({ name, models }: RunningModule, api: string, model: string): string {
  const offered = models.filter((one) => one.api === api).map((one) => one.model);
  const guess = nearest(model, offered);
  const has = offered.length === 0 ? `it has none for ${api}` : `it has ${offered.slice(0, 5).join(', ')}`;
  const hint = guess === undefined ? '' : ` (did you mean ${guess}?)`;
  return `model ${model} of ${api}: module ${name} runs and does not have it${hint}; ${has}`;
}
