/** Messages of the registry in the page's own words. Pure: one function a message. */
import {
  RegistryModule_Visibility,
  type DescribeModuleResponse,
  type RegistryModel,
  type RegistryModule,
  type RegistryVersion,
  type Resolution,
} from '../../../proto/gen/core/hub/v1/registry.ts';
import type {
  RegistryDetailsView,
  RegistryModelView,
  RegistryModuleView,
  RegistryVersionView,
  ResolutionView,
} from './registry-view.ts';

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
