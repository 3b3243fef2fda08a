import {
  Visibility,
  type AppServiceDefinition,
  type Model,
  type UploadModuleFileRequest,
} from '../../../proto/gen/core/app/v1/app.ts';
import { PackageType } from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { canonicalApi } from '../../../proto/config/names.ts';
import { ArmatureError } from '../../base/errors.ts';
import { firstValue } from '../../rpc/metadata.ts';
import type { Caller } from '../access/caller.ts';
import type { Logger } from '../../base/logger.ts';
import { authorName } from '../access/author.ts';
import type { Organizations } from '../fleet/organizations.ts';
import type { Store } from '../storage/store.ts';
import type { Registry } from './registry.ts';
import type { ModuleRow } from './catalog.ts';
import { ownModule, usableModule } from './module-access.ts';
import { foreignModels, foreignWarning, requireModel, type ModuleModel } from './packages/package-check.ts';
import { KEY_HEADER, readProof, SIGNATURE_HEADER } from './packages/package-signing.ts';
import type { UploadInfo } from './packages/upload-info.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { moduleOf, registryItemOf, registryUrl } from './wire-modules.ts';
import { publicPart, scriptItemMessage, TrainingScripts, type TrainingScriptItem } from './models/training-scripts.ts';
import { organizationPlace } from '../places/place.ts';
import { searchModules } from './search.ts';

const visibilities: Readonly<Record<number, ModuleRow['visibility'] | undefined>> = {
  [Visibility.PRIVATE]: 'private',
  [Visibility.PUBLIC]: 'public',
  [Visibility.PUBLIC_UNLISTED]: 'unlisted',
};
/** Modules in one list: `ListModules` has no pages. */
const MAX_LISTED_MODULES = 1_000;
const PAGE_SIZE = 100;

export interface ModuleCallsOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly organizations: Organizations;
  readonly logger: Logger;
}

/** The service by which tools of the public ecosystem publish modules. */
export function moduleCalls(options: ModuleCallsOptions): HubHandlers<typeof AppServiceDefinition> {
  const { registry, store, organizations, logger } = options;
  const scripts = new TrainingScripts(registry.others, store.db);

  const create = async (organizationId: string, name: string, caller: Caller): Promise<string> => {
    await caller.require('module.publish', { type: 'organization', id: organizationId }, store.db);
    return registry.create(await organizations.get(organizationId), name);
  };

  return {
    async createModule({ organizationId, name }, caller) {
      const moduleId = await create(organizationId, name, caller);
      return { moduleId, url: registryUrl(moduleId) };
    },

    async updateModule(request, caller) {
      const { moduleId, models, markdownDescription: documentation } = request;
      await ownModule(registry, caller, moduleId);
      const foreign = foreignModels(models, moduleId);
      if (foreign.length > 0) logger.warn(foreignWarning(foreign, moduleId));
      await registry.update(moduleId, {
        visibility: visibilities[request.visibility],
        url: request.url,
        description: request.description,
        entrypoint: request.entrypoint,
        firstRun: request.firstRun,
        models: models.map((model) => modelOf(model, moduleId)),
        documentation,
      });
      return { url: registryUrl(moduleId) };
    },

    async uploadModuleFile(requests, caller, call) {
      const messages = requests[Symbol.asyncIterator]();
      const info = infoOf((await messages.next()) as IteratorResult<UploadModuleFileRequest, undefined>);
      const { row } = await ownModule(registry, caller, info.moduleId);
      const proof = readProof(firstValue(call.metadata, SIGNATURE_HEADER), firstValue(call.metadata, KEY_HEADER));
      const author = caller.author.type === 'local' ? 'this computer' : await authorName(caller.author, store.db);
      const chunks = chunksOf({ [Symbol.asyncIterator]: () => messages });
      await registry.publish(row, { info, proof, author, chunks, onIdle: (reason) => call.cancel(reason) });
      return { url: registryUrl(info.moduleId) };
    },

    async getModule({ moduleId, includeMarkdownDocumentation: isWhole = false }, caller, call) {
      const module = await usableModule(registry, caller, moduleId);
      const [texts, usage] = await Promise.all([registry.modules.versionTexts(module.row.id), registry.usage.counts()]);
      return { module: moduleOf({ module, texts, usage, isWhole, dialect: call.dialect }) };
    },

    async listModules({ organizationId, includeMarkdownDocumentation: isWhole = false }, caller, call) {
      const query = { text: '', namespaces: [], api: '', organizationId, limit: MAX_LISTED_MODULES, offset: 0 };
      const [{ ids }, usage] = await Promise.all([searchModules(store, caller, query), registry.usage.counts()]);
      const modules = [];
      for (const id of ids) {
        const module = await registry.catalog.get(id);
        if (module === undefined) continue;
        const texts = await registry.modules.versionTexts(module.row.id);
        modules.push(moduleOf({ module, texts, usage, isWhole, dialect: call.dialect }));
      }
      return { modules };
    },

    async createRegistryItem({ organizationId, name, type }, caller) {
      requireModuleType(type);
      await create(organizationId, name, caller);
      return {};
    },

    async updateRegistryItem(request, caller) {
      const { itemId, metadata } = request;
      await ownModule(registry, caller, itemId);
      requireModuleType(request.type);
      const own = metadata?.$case === 'updateModuleMetadata' ? metadata.value : undefined;
      if (metadata !== undefined && own === undefined) throw modulesOnly();
      await registry.update(itemId, {
        visibility: visibilities[request.visibility],
        url: request.url,
        description: request.description,
        documentation: request.markdownDescription,
        entrypoint: own?.entrypoint,
        models: own?.models.map((model) => modelOf(model, itemId)),
      });
      return {};
    },

    async getRegistryItem({ itemId, includeMarkdownDocumentation: isWhole = false }, caller, call) {
      const script = await scripts.get(itemId);
      const seen = script && seenPart(caller, script);
      if (seen !== undefined) return { item: scriptItemMessage(seen) };
      const module = await usableModule(registry, caller, itemId);
      const [texts, usage] = await Promise.all([registry.modules.versionTexts(module.row.id), registry.usage.counts()]);
      return { item: registryItemOf({ module, texts, usage, isWhole, dialect: call.dialect }) };
    },

    async listRegistryItems(request, caller, call) {
      const { types, pageToken = '', visibilities: seen, platforms } = request;
      if (types.length > 0 && !types.includes(PackageType.MODULE)) return { items: [] };
      const offset = pageToken === '' ? 0 : Math.trunc(Number(pageToken));
      if (!Number.isSafeInteger(offset) || offset < 0) {
        throw new ArmatureError(
          'call.bad_argument',
          `The page token "${pageToken.slice(0, 40)}" is not from this service.`,
        );
      }
      const wanted = seen.map((one) => visibilities[one]).filter((one) => one !== undefined);
      const { ids } = await searchModules(store, caller, {
        text: request.searchTerm ?? '',
        namespaces: request.publicNamespaces,
        api: '',
        organizationId: request.organizationId,
        visibilities: wanted.length > 0 ? wanted : undefined,
        includesDeprecated: request.showOwnedDeprecated,
        limit: PAGE_SIZE,
        offset,
      });
      const usage = await registry.usage.counts();
      const isWhole = request.includeMarkdownDocumentation ?? false;
      const items = [];
      for (const id of ids) {
        const module = await registry.catalog.get(id);
        if (module === undefined) continue;
        const has = module.versions.some(({ files }) => files.some(({ platform }) => platforms.includes(platform)));
        if (platforms.length > 0 && !has) continue;
        const texts = await registry.modules.versionTexts(module.row.id);
        items.push(registryItemOf({ module, texts, usage, isWhole, dialect: call.dialect }));
      }
      return { items };
    },

    async deleteRegistryItem({ itemId }, caller) {
      await ownModule(registry, caller, itemId);
      const machines = (await registry.usage.counts()).get(itemId) ?? 0;
      if (machines > 0) {
        throw new ArmatureError(
          'call.failed_precondition',
          `The module ${itemId} is in the configuration of ${machines} ${machines === 1 ? 'machine' : 'machines'}. Take it out there first.`,
        );
      }
      await registry.delete(itemId);
      return {};
    },

    async renameRegistryItem({ itemId, newName }, caller, call) {
      await ownModule(registry, caller, itemId);
      const module = await registry.get(await registry.rename(itemId, { name: newName }));
      const texts = await registry.modules.versionTexts(module.row.id);
      return { item: registryItemOf({ module, texts, usage: new Map(), isWhole: false, dialect: call.dialect }) };
    },

    async transferRegistryItem({ itemId, newPublicNamespace }, caller) {
      await ownModule(registry, caller, itemId);
      const organization = await organizations.ofNamespace(newPublicNamespace);
      await caller.require('module.publish', { type: 'organization', id: organization.id }, store.db);
      await registry.rename(itemId, { namespace: newPublicNamespace, organization_id: organization.id });
      return {};
    },

    async deprecateRegistryItem({ itemId, message }, caller) {
      await ownModule(registry, caller, itemId);
      await registry.update(itemId, { deprecated: message.trim() || 'deprecated' });
      return {};
    },

    async undeprecateRegistryItem({ itemId }, caller) {
      await ownModule(registry, caller, itemId);
      await registry.update(itemId, { deprecated: '' });
      return {};
    },

    async deprecateRegistryItemVersion({ itemId, version, message }, caller) {
      await ownModule(registry, caller, itemId);
      await registry.yank(itemId, version, message.trim() || 'deprecated');
      return {};
    },

    async undeprecateRegistryItemVersion({ itemId, version }, caller) {
      await ownModule(registry, caller, itemId);
      await registry.yank(itemId, version, '');
      return {};
    },
  };
}

function modelOf({ api, model, description, markdownDocumentation }: Model, moduleId: string): ModuleModel {
  const refuse = (why: string): ArmatureError =>
    new ArmatureError('call.bad_argument', `The models of ${moduleId} are refused: ${why}.`);
  const ownApi = canonicalApi(api);
  if (ownApi === undefined) throw refuse(`the API "${api}" of "${model}" is not valid`);
  requireModel(model, moduleId, refuse);
  return { api: ownApi, model, description: description ?? '', documentation: markdownDocumentation ?? '' };
}

function infoOf({ value }: IteratorResult<UploadModuleFileRequest, undefined>): UploadInfo {
  const part = value?.moduleFile;
  if (part?.$case === 'moduleFileInfo') return part.value;
  throw new ArmatureError(
    'call.bad_argument',
    'The upload begins without "module_file_info": send that first, then "file".',
  );
}

async function* chunksOf(requests: AsyncIterable<UploadModuleFileRequest>): AsyncGenerator<Uint8Array> {
  for await (const { moduleFile } of requests) {
    if (moduleFile?.$case !== 'file') {
      throw new ArmatureError('call.bad_argument', 'The upload has something other than "file" after its description.');
    }
    yield moduleFile.value;
  }
}

/** The part of a script that a caller may see. */
function seenPart(caller: Caller, script: TrainingScriptItem): TrainingScriptItem | undefined {
  return caller.may('package.read', organizationPlace(script.organizationId)) ? script : publicPart(script);
}

function requireModuleType(type: PackageType): void {
  if (type !== PackageType.MODULE) throw modulesOnly();
}

function modulesOnly(): ArmatureError {
  return new ArmatureError(
    'call.bad_argument',
    'This call keeps modules only: the type is PACKAGE_TYPE_MODULE. Models and training scripts are uploaded with PackageService.CreatePackage.',
  );
}
