import { ArmatureError } from '../base/errors.ts';
import { builtinApis } from './all.ts';

/** An API that can be called here, and its service. */
export interface ServedApi {
  /** Triplet in our spelling, `core:component:motor`. */
  readonly api: string;
  /** Full proto name of the service in our spelling. */
  readonly service: string;
}

/** The APIs that can be called: those of the program, and those with instances in another process. */
export class ServedApis {
  readonly #byService = new Map<string, string>(builtinApis.map(({ api, service }) => [service.fullName, api]));

  list(): readonly ServedApi[] {
    return [...this.#byService].map(([service, api]) => ({ api, service }));
  }

  /** The API of a service; the cost does not depend on their number. */
  apiOfService(service: string): string | undefined {
    return this.#byService.get(service);
  }

  /** The service of an API; undefined if the API cannot be called. */
  serviceOf(api: string): string | undefined {
    return this.list().find((one) => one.api === api)?.service;
  }

  /** Returns a function that removes it. Throws `internal.bug` if the API or the service was added already. */
  add({ api, service }: ServedApi): () => void {
    const taken = this.list().find((one) => one.api === api || one.service === service);
    if (taken !== undefined) {
      throw new ArmatureError(
        'internal.bug',
        `${api} by ${service} is added, but ${taken.service} serves ${taken.api}.`,
      );
    }
    this.#byService.set(service, api);
    return () => void this.#byService.delete(service);
  }
}
