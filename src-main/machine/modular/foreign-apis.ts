import { findApi } from '../../apis/all.ts';
import { onAbort } from '../../base/async/abort.ts';
import { backoffDelayMs, defaultBackoff } from '../../base/async/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Peer } from '../../rpc/peer/peer.ts';
import type { ForeignService } from '../../rpc/router.ts';
import type { ModuleDirectory } from '../modules/run/running-module.ts';
import type { ModularCatalog, StoppableApis } from './modular-catalog.ts';
import type { ModuleProcess } from './module-process.ts';

/** Descriptors asked for in vain are asked for again this often, later and later. */
const MOST_TRIES = 6;

export interface ForeignApisOptions {
  readonly catalog: Pick<ModularCatalog, 'processes' | 'onChange'>;
  readonly directory: Pick<ModuleDirectory, 'absenceOf'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A service as its process describes it, by reflection. Rejects where it cannot be had. */
  readonly describe: (peer: Peer, service: string, signal: AbortSignal) => Promise<ForeignService>;
  /** Has the calls of an API passed on to the resources they name. Returns its undoing. */
  readonly serve: (api: string, service: ForeignService) => () => void;
  /** Says why the calls of a service find nothing. Returns its undoing. */
  readonly explain: (service: string, why: string) => () => void;
}

/** One API that only modules have. */
interface Foreign {
  readonly api: string;
  readonly service: string;
  /** Ids and names of the modules that served it last. */
  modules: readonly { readonly name: string; readonly moduleId: string }[];
  described: ForeignService | undefined;
  /** Undoes that it is served, or that it is said why it is not. */
  undo: () => void;
  /** The process that is being asked, or was. */
  asked: ModuleProcess | undefined;
  /** Settles when the process that is asked has answered for the first time. */
  answered: Promise<void>;
  retry: Timer | undefined;
}

/**
 * APIs that the program has no definition of, served as long as a module has
 * models of them: by the descriptors that the module itself gives. One whose
 * module is about to return stays, so that callers are told to try again.
 */
export class ForeignApis implements StoppableApis {
  readonly #options: ForeignApisOptions;
  readonly #apis = new Map<string, Foreign>();
  readonly #closed = new AbortController();
  readonly #forget: () => void;

  constructor(options: ForeignApisOptions) {
    this.#options = options;
    this.#forget = options.catalog.onChange(() => this.#update());
    this.#update();
  }

  isStoppable(api: string): boolean | undefined {
    const methods = this.#apis.get(api)?.described?.methods;
    return methods?.some(
      ({ name, requestStream, responseStream }) => name === 'Stop' && !requestStream && !responseStream,
    );
  }

  async described(api: string, signal: AbortSignal): Promise<void> {
    let forget = (): void => undefined;
    const aborted = new Promise<void>((resolve) => (forget = onAbort(signal, resolve)));
    await Promise.race([this.#apis.get(api)?.answered, aborted]);
    forget();
  }

  close(): void {
    this.#forget();
    this.#closed.abort();
    for (const foreign of this.#apis.values()) this.#drop(foreign);
  }

  #update(): void {
    const offered = new Map<string, { readonly service: string; readonly by: ModuleProcess[] }>();
    for (const process of this.#options.catalog.processes) {
      for (const { api, service } of process.module.models) {
        if (findApi(api) !== undefined) continue;
        const known = offered.get(api);
        if (known === undefined) offered.set(api, { service, by: [process] });
        else if (!known.by.includes(process)) known.by.push(process);
      }
    }
    for (const foreign of this.#apis.values()) {
      const now = offered.get(foreign.api);
      if (now?.service !== foreign.service && !(now === undefined && this.#isToReturn(foreign))) this.#drop(foreign);
    }
    for (const [api, { service, by }] of offered) this.#offer(api, service, by);
  }

  #offer(api: string, service: string, by: readonly ModuleProcess[]): void {
    const [first] = by;
    if (first === undefined) return;
    const foreign = this.#apis.get(api) ?? newForeign(api, service);
    this.#apis.set(api, foreign);
    foreign.modules = by.map(({ module }) => module);
    if (foreign.asked !== undefined && by.includes(foreign.asked)) return;
    foreign.asked = first;
    foreign.answered = this.#ask(foreign, first, 1);
  }

  /** Never rejects. */
  async #ask(foreign: Foreign, process: ModuleProcess, attempt: number): Promise<void> {
    const { describe, logger, clock } = this.#options;
    const { api, service } = foreign;
    foreign.retry?.cancel();
    const isOver = (): boolean => foreign.asked !== process || this.#closed.signal.aborted;
    try {
      const signal = AbortSignal.any([process.closed, this.#closed.signal]);
      const described = await describe(process.module.peer, service, signal);
      if (!isOver()) this.#serve(foreign, described);
    } catch (thrown) {
      if (isOver() || process.closed.aborted) return;
      const { message } = toArmatureError(thrown);
      const why = `the module ${process.module.name} has models of ${api}, but does not describe its service ${service}: ${message}`;
      if (attempt === 1) logger.warn(`Calls of ${service} cannot be passed on: ${why}.`);
      if (foreign.described === undefined) {
        foreign.undo();
        foreign.undo = this.#options.explain(service, why);
      }
      if (attempt === MOST_TRIES) return;
      foreign.retry = clock.after(backoffDelayMs(defaultBackoff, attempt, 0), () => {
        void this.#ask(foreign, process, attempt + 1);
      });
    }
  }

  #serve(foreign: Foreign, described: ForeignService): void {
    const { api } = foreign;
    const before = foreign.described;
    // Calls of another start's descriptors go on where they are the same.
    if (before !== undefined && Buffer.compare(before.descriptors, described.descriptors) === 0) return;
    foreign.undo();
    foreign.described = described;
    foreign.undo = this.#options.serve(api, described);
  }

  #isToReturn({ modules }: Foreign): boolean {
    return modules.some(({ name, moduleId }) => {
      const absence = this.#options.directory.absenceOf(moduleId);
      return absence?.name === name && absence.kind !== 'disabled';
    });
  }

  #drop(foreign: Foreign): void {
    this.#apis.delete(foreign.api);
    foreign.asked = undefined;
    foreign.retry?.cancel();
    foreign.undo();
  }
}

function newForeign(api: string, service: string): Foreign {
  return {
    api,
    service,
    modules: [],
    described: undefined,
    undo: () => undefined,
    asked: undefined,
    answered: Promise.resolve(),
    retry: undefined,
  };
}
