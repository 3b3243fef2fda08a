import type { Problem } from '../../../proto/config/problem.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { peerForwarder } from '../../rpc/peer/peer-forwarder.ts';
import type { ParsedConfig } from '../config/machine-config.ts';
import type { ModelCatalog } from '../catalog/catalog-type.ts';
import type { ModuleDirectory } from '../modules/run/running-module.ts';
import type { StoppableApis } from '../foreign/foreign-apis.ts';
import { LiveValidation } from './live-validation.ts';
import { ModularCatalog } from './modular-catalog.ts';

export interface ModularResourcesOptions {
  readonly builtin: ModelCatalog;
  readonly directory: ModuleDirectory;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time limit for a module to create or change an instance. */
  readonly resourceTimeoutMs: number;
  readonly foreign: () => StoppableApis | undefined;
}

/** What modules provide to a machine: models, and the validation of configurations. */
export class ModularResources {
  readonly catalog: ModularCatalog;
  readonly #live: LiveValidation;

  constructor(options: ModularResourcesOptions) {
    const { clock } = options;
    this.catalog = new ModularCatalog({ ...options, forwarderFor: (peer) => peerForwarder(peer, { clock }) });
    this.#live = new LiveValidation(this.catalog, clock);
  }

  /**
   * Problems that running modules report about a configuration. Never rejects; takes 2 s at most.
   * @param file its name in problems
   */
  problems(parsed: ParsedConfig, file: string): Promise<readonly Problem[]> {
    return this.#live.problems(parsed, file);
  }

  close(): void {
    this.catalog.close();
  }
}
