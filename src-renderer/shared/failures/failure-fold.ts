import { type Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';

/** Failures that begin within this time of each other's first are one notification. */
export const foldMs = 5_000;

/** What to tell the person: the resources that failed in one burst. */
export interface FailureNews {
  /** The same for one burst: a notification with it replaces the one before. */
  readonly tag: string;
  /** In the order in which they failed. */
  readonly resources: readonly Resource[];
}

/**
 * Decides which failures are told. Each resource is told once until it was ready again. It needs no timer, which a
 * hidden page has only once a minute: the first failure is told at once, and those that follow soon replace its news.
 */
export class FailureFold {
  /** Full names of the failed resources that need not be told any more. */
  readonly #told = new Set<string>();
  #burst: { readonly tag: string; readonly at: number; resources: readonly Resource[] } | undefined;
  #bursts = 0;

  /**
   * Takes the states of all resources.
   * @param isSeen the person sees the page, so that a failure is no news
   * @param now ms of any clock
   * @returns what to tell now; undefined for nothing
   */
  take(resources: Iterable<Resource>, isSeen: boolean, now: number): FailureNews | undefined {
    const fresh: Resource[] = [];
    const present = new Set<string>();
    for (const resource of resources) {
      present.add(resource.name);
      if (resource.state === Resource_State.READY || resource.state === Resource_State.DISABLED) {
        this.#told.delete(resource.name);
      } else if (resource.state === Resource_State.FAILED && !this.#told.has(resource.name)) {
        this.#told.add(resource.name);
        fresh.push(resource);
      }
    }
    for (const name of this.#told) if (!present.has(name)) this.#told.delete(name);
    if (isSeen) this.#burst = undefined;
    if (isSeen || fresh.length === 0) return undefined;
    const going = this.#burst !== undefined && now - this.#burst.at <= foldMs ? this.#burst : undefined;
    const burst = going ?? { tag: `failures-${++this.#bursts}`, at: now, resources: [] };
    burst.resources = [...burst.resources, ...fresh];
    this.#burst = burst;
    return { tag: burst.tag, resources: burst.resources };
  }
}
