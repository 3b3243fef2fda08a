import type { JsonSchema } from '../../../proto/config/schema/json-schema.ts';
import type { JsonObject } from '../../apis/resource.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import { noDependencies, type CatalogEntry, type Dependencies, type Model } from '../catalog/model.ts';
import type { OfferedModel } from '../modules/run/running-module.ts';
import type { DependencyCache } from './dependency-cache.ts';
import { buildInModule, VALIDATE_MS } from './modular-resource.ts';
import type { ModuleProcess } from './module-process.ts';

export interface ModuleEntryOptions {
  readonly process: ModuleProcess;
  readonly offered: OfferedModel;
  readonly answers: DependencyCache;
  readonly resourceTimeoutMs: number;
  /** Whether instances of the API can be stopped, as far as it is known now. */
  readonly isStoppable: () => boolean;
  /** The same, but settles when it is known. */
  readonly learnsStoppable: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * A model of one running module. Each start of the module has new entries; that is how the graph sees that the old
 * instances are gone.
 */
export class ModuleEntry implements CatalogEntry {
  readonly api: string;
  readonly model: string;
  readonly summary: string;
  /** The module checks the attributes itself. */
  readonly schema: JsonSchema = {};
  readonly mayCoexist = false;
  readonly module: string;
  readonly #options: ModuleEntryOptions;

  constructor(options: ModuleEntryOptions) {
    const { offered, process } = options;
    this.api = offered.api;
    this.model = offered.model;
    this.module = process.module.name;
    this.summary = `From the module ${this.module}`;
    this.#options = options;
  }

  isOf(process: ModuleProcess): boolean {
    return this.#options.process === process;
  }

  get inPlace(): readonly string[] | 'all' {
    return this.#options.process.canReconfigure ? 'all' : [];
  }

  get isActuator(): boolean {
    return this.#options.isStoppable();
  }

  dependencies(attributes: JsonObject, fullName?: string): Dependencies {
    const { api, model } = this;
    return this.#options.answers.find({ api, model, attributes, fullName }) ?? noDependencies;
  }

  async askDependencies(config: ResourceConfig, signal: AbortSignal): Promise<Dependencies> {
    const { process, answers } = this.#options;
    const answer = await process.validate(config, { timeoutMs: VALIDATE_MS, signal });
    answers.remember(config, answer);
    return answer;
  }

  load(): Promise<Pick<Model, 'build'>> {
    const { process, offered, answers, resourceTimeoutMs: timeoutMs, learnsStoppable: isStoppable } = this.#options;
    const making = { process, offered, answers, timeoutMs, isStoppable };
    return Promise.resolve({ build: (context, request) => buildInModule(making, context, request) });
  }
}
