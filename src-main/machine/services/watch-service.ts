import type { ResourceApi } from '../../apis/api.ts';
import { onAbort } from '../../base/async/abort.ts';
import { ArmatureError, toStatus } from '../../base/errors.ts';
import { canonicalPath } from '../../base/dialect.ts';
import type { Clock } from '../../base/clock.ts';
import { callLocally, LocalCallError, localConnection } from '../../rpc/routing/local-call.ts';
import type { MethodDefinition, ServiceDefinition, ServiceHandlers } from '../../rpc/service.ts';
import type { Router } from '../../rpc/router.ts';
import { parseFullName } from '../../../proto/config/names.ts';
import type { WatchItem, WatchServiceDefinition, WatchUpdate } from '../../../proto/gen/core/watch/v1/watch.ts';
import type { PollResult, SharedPollers } from '../watch/shared-pollers.ts';

/** Shortest period: values for a screen need no shorter one; motor control does not read through here. */
const SHORTEST_INTERVAL_MS = 10;
/** Longer waits do not fit a timer. */
export const LONGEST_INTERVAL_MS = 3_600_000;
const DEFAULT_INTERVAL_MS = 500;
const LARGEST_WATCH = 256;
const POLL_TIMEOUT_MS = 5_000;

export type WatchedApi = Pick<ResourceApi, 'api' | 'service' | 'readings'>;

interface Latest {
  result: PollResult;
  viewers: number;
  /** Results replaced by this one before they were sent. */
  skipped: number;
}

/** A method of the resource's API that may be repeated, and its encoded request. */
interface ResolvedItem {
  readonly id: string;
  readonly path: string;
  readonly request: Uint8Array;
  readonly intervalMs: number;
}

/** Key of a method by its name or path. */
function findMethod({ fullName, methods }: ServiceDefinition, wanted: string): string | undefined {
  const canonical = canonicalPath(wanted);
  const name = canonical.startsWith('/') ? canonical.slice(canonical.lastIndexOf('/') + 1) : wanted;
  if (canonical.startsWith('/') && canonical !== `/${fullName}/${name}`) return undefined;
  return Object.keys(methods).find((key) => methods[key]?.name === name);
}

/** The request with the name of its resource replaced. Throws `call.bad_argument` for an invalid message. */
function withName(method: MethodDefinition, request: Uint8Array, name: string, where: string): Uint8Array {
  let decoded: Record<string, unknown>;
  try {
    decoded = method.requestType.decode(request) as Record<string, unknown>;
  } catch (cause) {
    throw new ArmatureError(
      'call.bad_argument',
      `${where}: its ${request.length} bytes are no request of ${method.name}; encode that message, or leave it empty.`,
      { cause },
    );
  }
  const key = ['name', 'boardName', 'controller'].find((candidate) => candidate in decoded) ?? 'name';
  return method.requestType.encode({ ...decoded, [key]: name }).finish();
}

function resolveItem(item: WatchItem, apis: ReadonlyMap<string, WatchedApi>): ResolvedItem {
  const where = `Watch item "${item.id}"`;
  const full = parseFullName(item.resource);
  if (full === undefined) {
    throw new ArmatureError(
      'call.bad_argument',
      `${where}: "${item.resource}" is not a full resource name such as core:component:motor/left.`,
    );
  }
  const api = apis.get(full.api);
  if (api === undefined) {
    throw new ArmatureError('call.bad_argument', `${where}: resources of ${full.api} cannot be watched here.`);
  }
  const { methods } = api.service;
  const key = findMethod(api.service, item.method);
  const method = key !== undefined && api.readings.has(key) ? methods[key] : undefined;
  if (method === undefined) {
    const why = key === undefined ? `${full.api} has no such method` : 'it changes something or streams';
    const known = Object.keys(methods).filter((one) => api.readings.has(one));
    throw new ArmatureError(
      'call.bad_argument',
      `${where}: ${item.method} cannot be watched, ${why}. These can: ${known.map((one) => methods[one]?.name).join(', ')}.`,
    );
  }
  const seconds = item.interval === undefined ? 0 : Number(item.interval.seconds);
  const wantedMs = seconds * 1_000 + (item.interval?.nanos ?? 0) / 1e6;
  return {
    id: item.id,
    path: `/${api.service.fullName}/${method.name}`,
    request: withName(method, item.request, full.name, where),
    intervalMs:
      wantedMs <= 0 ? DEFAULT_INTERVAL_MS : Math.min(Math.max(wantedMs, SHORTEST_INTERVAL_MS), LONGEST_INTERVAL_MS),
  };
}

function refuseDuplicates(items: readonly WatchItem[]): void {
  const ids = new Set<string>();
  for (const { id } of items) {
    if (ids.has(id)) {
      throw new ArmatureError('call.bad_argument', `Two watch items have the id "${id}"; give each one of its own.`);
    }
    ids.add(id);
  }
}

function keyOf(item: ResolvedItem): string {
  return `${item.path} ${Buffer.from(item.request).toString('base64')}`;
}

function toUpdate(id: string, { result, viewers, skipped }: Latest, clock: Clock): WatchUpdate {
  const ageMs = Math.max(0, clock.monotonic() - result.at);
  const status = result.kind === 'error' ? statusOf(result.error) : undefined;
  return {
    id,
    result:
      result.kind === 'value'
        ? { $case: 'response', value: result.bytes }
        : { $case: 'error', value: { code: status?.code ?? 0, message: status?.message ?? '', details: [] } },
    time: new Date(clock.now() - ageMs),
    age: { seconds: BigInt(Math.trunc(ageMs / 1_000)), nanos: Math.trunc((ageMs % 1_000) * 1e6) },
    viewers,
    skipped,
  };
}

function statusOf(error: unknown): { code: number; message: string } {
  return error instanceof LocalCallError ? error.status : toStatus(error);
}

/** core.watch.v1.WatchService: one call per (resource, method, request), shared by all viewers. */
export function watchService(
  router: Router,
  pollers: SharedPollers,
  watchedApis: readonly WatchedApi[],
  clock: Clock,
): ServiceHandlers<typeof WatchServiceDefinition> {
  const apis = new Map(watchedApis.map((each) => [each.api, each]));
  const connection = localConnection('watch');
  return {
    async *watch(request, call): AsyncGenerator<WatchUpdate> {
      if (request.items.length > LARGEST_WATCH) {
        throw new ArmatureError(
          'call.too_large',
          `${request.items.length} items in one Watch; at most ${LARGEST_WATCH} are allowed: open a second one.`,
        );
      }
      refuseDuplicates(request.items);
      const items = request.items.map((item) => resolveItem(item, apis));
      // A slow reader skips answers: only the latest of each item waits for it.
      const latest = new Map<string, Latest>();
      let wake = (): void => undefined;
      const endings = items.map((item) =>
        pollers.watch(keyOf(item), () => callLocally(router, connection, item.path, item.request, POLL_TIMEOUT_MS), {
          intervalMs: item.intervalMs,
          onResult: (result, viewers) => {
            const unsent = latest.get(item.id);
            latest.set(item.id, { result, viewers, skipped: unsent === undefined ? 0 : unsent.skipped + 1 });
            wake();
          },
        }),
      );
      const forgetAbort = onAbort(call.signal, () => wake());
      try {
        while (!call.signal.aborted) {
          for (const [id, update] of latest) {
            latest.delete(id);
            yield toUpdate(id, update, clock);
          }
          if (latest.size > 0 || call.signal.aborted) continue;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        for (const end of endings) end();
        forgetAbort();
      }
    },
  };
}
