import { findApi } from '../../apis/all.ts';
import { movingApis } from '../../apis/moving-apis.ts';
import { onAbort } from '../../base/async/abort.ts';
import { backoffDelayMs, defaultBackoff } from '../../base/async/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { StartCall } from '../../rpc/peer/outbound-call.ts';
import type { ForeignService } from '../../rpc/router.ts';

/** Delays of retries for missing descriptors. */
const MAX_TRIES = 6;

/** A source of resources with APIs that this program may not know: a running module, or another machine. */
export interface ApiSource {
  /** For messages: `the module acme_parts`. */
  readonly label: string;
  /** Triplets in our spelling, each with the full name of its service. */
  readonly apis: readonly { readonly api: string; readonly service: string }[];
  readonly start: StartCall;
  /** Aborts when the source ends. */
  readonly closed: AbortSignal;
  /** Whether it is expected to return after it has ended. */
  readonly isToReturn: () => boolean;
}

/** The sources, and their changes. */
export interface ApiSources {
  /** The current sources in order of precedence; each keeps its object as long as it exists. */
  readonly sources: readonly ApiSource[];
  /** Calls back after each change. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
}

/** Facts about APIs that only sources know. */
export interface StoppableApis {
  /** Whether resources of the API can be stopped, according to its descriptors; undefined if these are not known. */
  isStoppable(api: string): boolean | undefined;
  /** Settles when the descriptors of an API are known, or known to be unavailable. */
  described(api: string, signal: AbortSignal): Promise<void>;
}

/** Whether resources of an API move, if that is known. */
export function isMoving(api: string, foreign: StoppableApis | undefined): boolean {
  return findApi(api)?.isActuator ?? (foreign?.isStoppable(api) || movingApis.has(api));
}

export interface ForeignApisOptions {
  readonly places: readonly ApiSources[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** The descriptors of a service, from its source by reflection. Rejects if they are not available. */
  readonly describe: (start: StartCall, service: string, signal: AbortSignal) => Promise<ForeignService>;
  /** Forwards the calls of an API to the resources they name. Returns a function that undoes it. */
  readonly serve: (api: string, service: ForeignService) => () => void;
  /** Sets the reason why the calls of a service fail. Returns a function that undoes it. */
  readonly explain: (service: string, why: string) => () => void;
}

/** One API that this program has no definition of. */
interface Foreign {
  readonly api: string;
  readonly service: string;
  /** The sources that served it last. */
  sources: readonly ApiSource[];
  described: ForeignService | undefined;
  /** Undoes its forwarding, or the reason that was set for it. */
  undo: () => void;
  /** The source that is or was asked. */
  asked: ApiSource | undefined;
  /** Settles with the first answer of the source that is asked. */
  answered: Promise<void>;
  retry: Timer | undefined;
}

/**
 * APIs that the program has no definition of. They are served while a module or another machine has them, by the
 * descriptors of that source. If a source is expected to return, its APIs stay, so that callers are told to retry.
 */
export class ForeignApis implements StoppableApis {
  readonly #options: ForeignApisOptions;
  readonly #apis = new Map<string, Foreign>();
  readonly #closed = new AbortController();
  readonly #unsubscribe: readonly (() => void)[];

  constructor(options: ForeignApisOptions) {
    this.#options = options;
    this.#unsubscribe = options.places.map((place) => place.onChange(() => this.#update()));
    this.#update();
  }

  isStoppable(api: string): boolean | undefined {
    const methods = this.#apis.get(api)?.described?.methods;
    return methods?.some(
      ({ name, requestStream, responseStream }) => name === 'Stop' && !requestStream && !responseStream,
    );
  }

  async described(api: string, signal: AbortSignal): Promise<void> {
    // The caller may know a source before this object does.
    if (!this.#closed.signal.aborted) this.#update();
    let unsubscribe = (): void => undefined;
    const aborted = new Promise<void>((resolve) => (unsubscribe = onAbort(signal, resolve)));
    await Promise.race([this.#apis.get(api)?.answered, aborted]);
    unsubscribe();
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#closed.abort();
    for (const foreign of this.#apis.values()) this.#drop(foreign);
  }

  #update(): void {
    const offered = new Map<string, { readonly service: string; readonly by: ApiSource[] }>();
    for (const source of this.#options.places.flatMap(({ sources }) => sources)) {
      for (const { api, service } of source.apis) {
        if (findApi(api) !== undefined) continue;
        const known = offered.get(api);
        if (known === undefined) offered.set(api, { service, by: [source] });
        else if (!known.by.includes(source)) known.by.push(source);
      }
    }
    for (const foreign of this.#apis.values()) {
      const now = offered.get(foreign.api);
      if (now?.service !== foreign.service && !(now === undefined && isToReturn(foreign))) this.#drop(foreign);
    }
    for (const [api, { service, by }] of offered) this.#offer(api, service, by);
  }

  #offer(api: string, service: string, by: readonly ApiSource[]): void {
    const [first] = by;
    if (first === undefined) return;
    const foreign = this.#apis.get(api) ?? newForeign(api, service);
    this.#apis.set(api, foreign);
    foreign.sources = by;
    if (foreign.asked !== undefined && by.includes(foreign.asked)) return;
    foreign.asked = first;
    foreign.answered = this.#ask(foreign, first, 1);
  }

  /** Never rejects. */
  async #ask(foreign: Foreign, source: ApiSource, attempt: number): Promise<void> {
    const { describe, logger, clock } = this.#options;
    const { api, service } = foreign;
    foreign.retry?.cancel();
    const isOver = (): boolean => foreign.asked !== source || this.#closed.signal.aborted;
    try {
      const signal = AbortSignal.any([source.closed, this.#closed.signal]);
      const described = await describe(source.start, service, signal);
      if (!isOver()) this.#serve(foreign, described);
    } catch (thrown) {
      if (isOver() || source.closed.aborted) return;
      const { message } = toArmatureError(thrown);
      const why = `${source.label} has models of ${api}, but does not describe its service ${service}: ${message}`;
      if (attempt === 1) logger.warn(`Calls of ${service} cannot be passed on: ${why}.`);
      if (foreign.described === undefined) {
        foreign.undo();
        foreign.undo = this.#options.explain(service, why);
      }
      if (attempt === MAX_TRIES) return;
      foreign.retry = clock.after(backoffDelayMs(defaultBackoff, attempt, 0), () => {
        void this.#ask(foreign, source, attempt + 1);
      });
    }
  }

  #serve(foreign: Foreign, described: ForeignService): void {
    const { api } = foreign;
    const before = foreign.described;
    // Calls with the descriptors of an earlier start continue if the descriptors are equal.
    if (before !== undefined && Buffer.compare(before.descriptors, described.descriptors) === 0) return;
    foreign.undo();
    foreign.described = described;
    foreign.undo = this.#options.serve(api, described);
  }

  #drop(foreign: Foreign): void {
    this.#apis.delete(foreign.api);
    foreign.asked = undefined;
    foreign.retry?.cancel();
    foreign.undo();
  }
}

function isToReturn({ sources }: Foreign): boolean {
  return sources.some((source) => source.isToReturn());
}

function newForeign(api: string, service: string): Foreign {
  return {
    api,
    service,
    sources: [],
    described: undefined,
    undo: () => undefined,
    asked: undefined,
    answered: Promise.resolve(),
    retry: undefined,
  };
}
