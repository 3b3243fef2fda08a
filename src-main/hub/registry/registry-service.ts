import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import { ArmatureError } from '../../base/errors.ts';
import type {
  DownloadResponse,
  RegistryServiceDefinition,
  ResolveResponse,
  WatchChangesResponse,
} from '../../../proto/gen/core/hub/v1/registry.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { Organizations } from '../fleet/organizations.ts';
import type { Store } from '../storage/store.ts';
import { readablePackage, storedType } from './models/package-calls.ts';
import { downloadOther, downloadPackage } from './packages/download.ts';
import { mayUse, ownModule, usableModule } from './module-access.ts';
import { noVersion, type Registry } from './registry.ts';
import { resolveWants } from './resolve.ts';
import { searchModules } from './search.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { moduleMessage, publisherKeyMessage, versionMessages } from './wire-registry.ts';

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
/** Modules in one request. */
const MAX_WANTS = 1_000;
const MAX_REASON_LENGTH = 1_000;
/** Changes queued for one watcher. A slower watcher gets an error, and reads everything again after it reconnects. */
const MAX_WAITING_CHANGES = 1_000;

export interface RegistryServiceOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly organizations: Organizations;
}

/** `core.hub.v1.RegistryService`: modules for the window and for machines. */
export function registryService(options: RegistryServiceOptions): HubHandlers<typeof RegistryServiceDefinition> {
  const { registry, store, organizations } = options;
  const organizationName = async (id: string): Promise<string> => (await organizations.get(id)).name;

  return {
    async search({ text, namespaces, api, limit, pageToken }, caller) {
      const offset = offsetOf(pageToken);
      const count = limit === 0 ? DEFAULT_PAGE_SIZE : Math.min(limit, MAX_PAGE_SIZE);
      const [{ ids, total }, usage] = await Promise.all([
        searchModules(store, caller, { text, namespaces, api, limit: count, offset }),
        registry.usage.counts(),
      ]);
      const found = (await Promise.all(ids.map((id) => registry.catalog.get(id)))).filter(
        (module) => module !== undefined,
      );
      const modules = await Promise.all(
        found.map(async (module) =>
          moduleMessage(module, await organizationName(module.row.organization_id), caller, usage),
        ),
      );
      const next = offset + ids.length;
      return { modules, total, nextPageToken: ids.length > 0 && next < total ? String(next) : '' };
    },

    async describe({ moduleId }, caller) {
      const module = await usableModule(registry, caller, moduleId);
      const { row, versions } = module;
      const [name, usage, texts] = await Promise.all([
        organizationName(row.organization_id),
        registry.usage.counts(),
        registry.modules.versionTexts(row.id),
      ]);
      const newest = module.latest ?? module.latestPrerelease ?? versions[0];
      const readme = texts.find(({ version }) => version === newest?.version)?.readme ?? '';
      const message = moduleMessage(module, name, caller, usage, true);
      return { module: message, versions: versionMessages(module, texts), readme: readme || row.documentation };
    },

    async resolve({ wants }, caller) {
      checkWantCount(wants);
      return { resolutions: await resolveWants(registry, caller, wants) };
    },

    async *watchResolutions({ wants }, caller, call): AsyncGenerator<ResolveResponse> {
      checkWantCount(wants);
      const ids = new Set(wants.map(({ moduleId }) => moduleId));
      let lastAnswer = '';
      // Subscribes before it resolves for the first time, so that no change in between is missed.
      for await (const _ of changed(call, (id) => ids.has(id))) {
        const resolutions = await resolveWants(registry, caller, wants);
        const answer = JSON.stringify(resolutions);
        if (answer === lastAnswer) continue;
        lastAnswer = answer;
        yield { resolutions };
      }
    },

    async *download({ moduleId, version, platform, offset, type }, caller): AsyncGenerator<DownloadResponse> {
      if (type !== '') {
        const name = { ...readablePackage(caller, moduleId), type: storedType(type) };
        yield* downloadOther(registry.others, { ...name, version }, Number(offset));
        return;
      }
      const module = await usableModule(registry, caller, moduleId);
      yield* downloadPackage(registry, module, { version, platform, offset: Number(offset) });
    },

    async yank({ moduleId, version, reason, isUndone }, caller) {
      const { versions } = await ownModule(registry, caller, moduleId);
      if (!versions.some((known) => known.version === version)) throw noVersion(moduleId, version);
      await registry.yank(moduleId, version, isUndone ? '' : reasonOf(reason));
      return {};
    },

    async listPublisherKeys({ organizationId }, caller) {
      await caller.require('organization.read', { type: 'organization', id: organizationId }, store.db);
      return { keys: (await registry.keys.list(organizationId)).map(publisherKeyMessage) };
    },

    async addPublisherKey({ organizationId, name, publicKey, endorsement }, caller) {
      await caller.require('module.publish', { type: 'organization', id: organizationId }, store.db);
      return { key: publisherKeyMessage(await registry.keys.add(organizationId, name, publicKey, endorsement)) };
    },

    async revokePublisherKey({ organizationId, id }, caller) {
      await caller.require('module.publish', { type: 'organization', id: organizationId }, store.db);
      await registry.keys.revoke(organizationId, id);
      return {};
    },

    async *watchChanges(_request, caller, call): AsyncGenerator<WatchChangesResponse> {
      const ids = new AsyncQueue<string>();
      const unsubscribe = registry.onChange((moduleId) => {
        if (ids.size < MAX_WAITING_CHANGES) ids.push(moduleId);
        else
          ids.fail(
            new ArmatureError('call.overloaded', 'Changes come faster than they are read: read everything again.'),
          );
      });
      const cleanups = [unsubscribe, onAbort(call.signal, () => ids.end())];
      try {
        for await (const moduleId of ids) {
          const found = await registry.catalog.get(moduleId);
          // The deletion of a module is reported to every watcher: nobody can tell any more who might have seen it.
          if (found === undefined || mayUse(caller, found.row)) yield { moduleId };
        }
      } finally {
        for (const cleanup of cleanups) cleanup();
      }
    },
  };

  /** Yields once at first, then after changes of these modules until the call ends. Merges simultaneous changes. */
  async function* changed(call: ServerCall, isWanted: (moduleId: string) => boolean): AsyncGenerator<void> {
    const news = new AsyncQueue<void>();
    const tell = (): void => {
      if (news.size === 0) news.push(undefined);
    };
    const follow = (id: string): void => {
      if (isWanted(id)) tell();
    };
    const unsubscribes = [registry.onChange(follow), registry.others.onChange(follow)];
    const cleanups = [...unsubscribes, onAbort(call.signal, () => news.end())];
    try {
      tell();
      yield* news;
    } finally {
      for (const cleanup of cleanups) cleanup();
    }
  }
}

function checkWantCount(wants: readonly unknown[]): void {
  if (wants.length <= MAX_WANTS) return;
  throw new ArmatureError(
    'call.too_large',
    `${wants.length} modules are asked for; at most ${MAX_WANTS} are resolved at once.`,
  );
}

function reasonOf(reason: string): string {
  const text = reason.trim().slice(0, MAX_REASON_LENGTH);
  if (text !== '') return text;
  throw new ArmatureError(
    'call.bad_argument',
    'The reason is missing: say to those who use the version why it is yanked.',
  );
}

function offsetOf(pageToken: string): number {
  if (pageToken === '') return 0;
  const offset = Number(pageToken);
  if (Number.isSafeInteger(offset) && offset > 0) return offset;
  throw new ArmatureError('call.bad_argument', `The page token "${pageToken.slice(0, 40)}" is not from this service.`);
}
