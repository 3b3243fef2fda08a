/** Messages about modules in the page's own words. Pure: one function a message. */
import {
  RegistryModule_Visibility,
  type DescribeModuleResponse,
  type RegistryModel,
  type RegistryModule,
  type RegistryVersion,
  type Resolution,
} from '../../../proto/gen/core/hub/v1/registry.ts';
import {
  Module_State,
  ModuleUpdate_Step,
  type Module,
  type ModuleUpdate,
} from '../../../proto/gen/core/status/v1/status.ts';
import type { ModuleStateKind, ModuleUpdateView, ModuleView, UpdateStep } from './module-view.ts';
import type {
  RegistryDetailsView,
  RegistryModelView,
  RegistryModuleView,
  RegistryVersionView,
  ResolutionView,
} from './registry-view.ts';

const moduleStates: Readonly<Record<number, ModuleStateKind>> = {
  [Module_State.STARTING]: 'starting',
  [Module_State.READY]: 'ready',
  [Module_State.FAILED]: 'failed',
  [Module_State.STOPPING]: 'stopping',
  [Module_State.DISABLED]: 'disabled',
};

const updateSteps: Readonly<Record<number, UpdateStep>> = {
  [ModuleUpdate_Step.UNPACKING]: 'unpacking',
  [ModuleUpdate_Step.FIRST_RUN]: 'firstRun',
  [ModuleUpdate_Step.DEFERRED]: 'deferred',
  [ModuleUpdate_Step.SWITCHING]: 'switching',
  [ModuleUpdate_Step.REJECTED]: 'rejected',
};

export function moduleFrom(message: Module): ModuleView {
  return {
    name: message.name,
    moduleId: message.moduleId,
    version: message.version,
    wantedVersion: message.wantedVersion,
    isFromRegistry: message.isFromRegistry,
    state: moduleStates[message.state] ?? 'pending',
    reason: message.reason,
    since: message.since?.getTime() ?? 0,
    attempts: message.attempts,
    nextTryAt: message.nextRetry?.getTime() ?? 0,
    pid: message.pid,
    models: message.models,
    restarts: message.restarts,
    lastExit: message.lastExit,
    cpu: message.cpu,
    memoryBytes: Number(message.memoryBytes),
    update: message.update === undefined ? undefined : updateFrom(message.update),
    restartHint: message.restartHint,
    isUnconfined: message.isolation === 'none',
  };
}

function updateFrom({ version, step, doneBytes, totalBytes, reason }: ModuleUpdate): ModuleUpdateView {
  return {
    version,
    step: updateSteps[step] ?? 'downloading',
    doneBytes: Number(doneBytes),
    totalBytes: Number(totalBytes),
    reason,
  };
}

const visibilities: Readonly<Record<number, RegistryModuleView['visibility']>> = {
  [RegistryModule_Visibility.PUBLIC]: 'public',
  [RegistryModule_Visibility.UNLISTED]: 'unlisted',
};

export function registryModuleFrom(message: RegistryModule): RegistryModuleView {
  const { moduleId, namespace, name, organizationName, description, url, latest, latestPrerelease } = message;
  return {
    moduleId,
    namespace,
    name,
    organizationName,
    visibility: visibilities[message.visibility] ?? 'private',
    description,
    url,
    latest,
    latestPrerelease,
    models: message.models.map(modelFrom),
    platforms: message.platforms,
    updatedAt: message.updatedAt?.getTime(),
    machines: message.machines,
    mayPublish: message.mayPublish,
  };
}

function modelFrom({ api, model, description, documentation }: RegistryModel): RegistryModelView {
  return { api, model, description, documentation };
}

function versionFrom(message: RegistryVersion): RegistryVersionView {
  const { version, isPrerelease, publishedAt, publishedBy, files, yanked } = message;
  return {
    version,
    isPrerelease,
    publishedAt: publishedAt?.getTime(),
    publishedBy,
    files: files.map(({ platform, bytes, sha256, signedBy }) => ({ platform, bytes: Number(bytes), sha256, signedBy })),
    yanked,
  };
}

/** @throws Error where the hub answered without the module itself */
export function detailsFrom(
  { module, versions, readme }: DescribeModuleResponse,
  moduleId: string,
): RegistryDetailsView {
  if (module === undefined) throw new Error(`The hub did not say what ${moduleId} is.`);
  return { module: registryModuleFrom(module), versions: versions.map(versionFrom), readme };
}

export function resolutionFrom({ want, version, reason, problem }: Resolution): ResolutionView {
  return { wanted: want?.version ?? '', version, reason, problem };
}
