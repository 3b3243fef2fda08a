import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import type { MethodDefinition } from '../../../link/client.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import { shortName } from '../../../shared/machine/machine-view.ts';
import { poll, type WatchReading, type WatchRequest } from '../../../shared/machine/poll.ts';
import { cardFor } from '../../control/cards.ts';

/** A resource that has not answered by then may be moving. */
const MAX_WAIT_MS = 1_000;
const frequencyHz = 10;

/** Short names of the resources that are moving, and of those that can move but did not answer. */
export interface Moving {
  readonly moving: readonly string[];
  readonly unknown: readonly string[];
}

/** Asks all running resources that can move, at the same time, whether they are moving. */
export async function movingOf(
  machine: Pick<Machine, 'watchReadings'>,
  resources: readonly Resource[],
  waitMs = MAX_WAIT_MS,
): Promise<Moving> {
  const running = resources.filter(({ state }) => state === Resource_State.READY);
  const methods = await moveMethodsOf(running);
  const asked = running.flatMap(({ name, api }) => {
    const method = methods.get(api);
    return method === undefined ? [] : [{ id: name, method }];
  });
  if (asked.length === 0) return { moving: [], unknown: [] };
  const answers = await readOnce(
    machine,
    asked.map(({ id, method }) => poll({ id, resource: id, method, request: {}, frequencyHz })),
    waitMs,
  );
  const named = (wanted: boolean | undefined): string[] =>
    asked.filter(({ id }) => answers.get(id) === wanted).map(({ id }) => shortName(id));
  return { moving: named(true), unknown: named(undefined) };
}

/** The `isMoving` methods, by API; absent for APIs without one. */
async function moveMethodsOf(resources: readonly Resource[]): Promise<ReadonlyMap<string, MethodDefinition>> {
  const apis = [...new Set(resources.map(({ api }) => api))];
  const found = await Promise.all(apis.map(async (api) => (await cardFor(api).service?.())?.methods['isMoving']));
  return new Map(apis.flatMap((api, index) => (found[index] === undefined ? [] : [[api, found[index]] as const])));
}

function isMovingIn({ value }: WatchReading): boolean | undefined {
  return (value as { readonly isMoving: boolean } | undefined)?.isMoving;
}

/** The first answer of each poll, by id; absent for a poll that fails or takes too long. */
async function readOnce(
  machine: Pick<Machine, 'watchReadings'>,
  requests: readonly WatchRequest[],
  waitMs: number,
): Promise<ReadonlyMap<string, boolean | undefined>> {
  const answers = new Map<string, boolean | undefined>();
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), waitMs);
  try {
    for await (const reading of machine.watchReadings(requests, ending.signal)) {
      answers.set(reading.id, isMovingIn(reading));
      if (answers.size === requests.length) break;
    }
  } catch {
    // The time is over, or the stream failed: the missing answers stay unknown.
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
  return answers;
}
