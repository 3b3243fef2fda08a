import { cancelledBy } from '../../apis/remote-resource.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Peer } from '../../rpc/peer/peer.ts';
import { peerForwarder } from '../../rpc/peer/peer-forwarder.ts';
import type { ForeignService } from '../../rpc/router.ts';
import type { ParsedConfig } from '../config/machine-config.ts';
import type { ModelCatalog } from '../catalog/catalog-type.ts';
import type { ModuleDirectory } from '../modules/run/running-module.ts';
import { ForeignApis, type ForeignApisOptions } from './foreign-apis.ts';
import { LiveValidation } from './live-validation.ts';
import { ModularCatalog } from './modular-catalog.ts';
import { moduleCodes, startOf } from './module-calls.ts';

/** Time that a module has to describe a service. */
const DESCRIBE_MS = 10_000;

export interface ModularResourcesOptions {
  readonly builtin: ModelCatalog;
  readonly directory: ModuleDirectory;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time that a module has to make or change an instance. */
  readonly resourceTimeoutMs: number;
}

/** What of a machine lives in modules: models, APIs, and what they have against a configuration. */
export class ModularResources {
  readonly catalog: ModularCatalog;
  readonly #options: ModularResourcesOptions;
  readonly #live: LiveValidation;
  #foreign: ForeignApis | undefined;

  constructor(options: ModularResourcesOptions) {
    const { clock } = options;
    this.#options = options;
    this.catalog = new ModularCatalog({
      ...options,
      forwarderFor: (peer) => peerForwarder(peer, { clock }),
      foreign: () => this.#foreign,
    });
    this.#live = new LiveValidation(this.catalog, clock);
  }

  /** Serves the APIs that only modules have, from now on. */
  serveApis(router: Pick<ForeignApisOptions, 'serve' | 'explain'>): void {
    const { directory, clock, logger } = this.#options;
    this.#foreign = new ForeignApis({ ...router, catalog: this.catalog, directory, clock, logger, describe });
  }

  /**
   * Problems that running modules have with a configuration. Never rejects; takes 2 s at most.
   * @param file as it is shown in problems
   */
  problems(parsed: ParsedConfig, file: string): Promise<readonly Problem[]> {
    return this.#live.problems(parsed, file);
  }

  close(): void {
    this.#foreign?.close();
    this.catalog.close();
  }
}

async function describe(peer: Peer, service: string, signal: AbortSignal): Promise<ForeignService> {
  // Both read descriptors, which nobody needs before there is such a service.
  const [{ reflectService }, { foreignService }] = await Promise.all([
    import('../../rpc/reflection/reflection-client.ts'),
    import('../../rpc/reflection/foreign-service.ts'),
  ]);
  const start = cancelledBy(signal, startOf(peer));
  const descriptors = await reflectService(start, service, { timeoutMs: DESCRIBE_MS, codes: moduleCodes });
  return foreignService(service, descriptors);
}
