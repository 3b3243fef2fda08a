import {
  RegistryModule_Visibility,
  type PublisherKey,
  type RegistryModel,
  type RegistryModule,
  type RegistryVersion,
} from '../../../proto/gen/core/hub/v1/registry.ts';
import { isPrerelease } from '../../../proto/config/module-versions.ts';
import type { Caller } from '../access/caller.ts';
import type { CatalogModule } from './catalog.ts';
import { mayPublish } from './module-access.ts';
import { moduleIdOf } from './module-ids.ts';
import type { VersionTexts } from './modules.ts';
import type { ModuleModel } from './packages/package-check.ts';
import type { PublisherKeyRow } from './publisher-keys.ts';

const visibilities = {
  private: RegistryModule_Visibility.PRIVATE,
  public: RegistryModule_Visibility.PUBLIC,
  unlisted: RegistryModule_Visibility.UNLISTED,
} as const;

/**
 * @param usage number of machines by module id
 * @param isWhole whether the documentation of its models is included
 */
export function moduleMessage(
  { row, models, latest, latestPrerelease }: CatalogModule,
  organizationName: string,
  caller: Caller,
  usage: ReadonlyMap<string, number>,
  isWhole = false,
): RegistryModule {
  const id = moduleIdOf(row);
  return {
    moduleId: id,
    namespace: row.namespace,
    name: row.name,
    organizationId: row.organization_id,
    organizationName,
    visibility: visibilities[row.visibility],
    description: row.description,
    url: row.url,
    latest: latest?.version ?? '',
    latestPrerelease: latestPrerelease?.version ?? '',
    models: models.map((model) => modelMessage(model, isWhole)),
    platforms: (latest ?? latestPrerelease)?.files.map(({ platform }) => platform) ?? [],
    updatedAt: new Date(row.updated_at),
    machines: usage.get(id) ?? 0,
    mayPublish: mayPublish(caller, row),
  };
}

/** Newest first. */
export function versionMessages({ versions }: CatalogModule, texts: readonly VersionTexts[]): RegistryVersion[] {
  const textOf = new Map(texts.map((text) => [text.version, text]));
  return versions.map(({ version, yanked, publishedAt, publishedBy, files }) => ({
    version,
    isPrerelease: isPrerelease(version),
    publishedAt: new Date(publishedAt),
    publishedBy,
    files: files.map(({ platform, bytes, sha256, signedBy }) => ({ platform, bytes: BigInt(bytes), sha256, signedBy })),
    yanked,
    models: textOf.get(version)?.models.map((model) => modelMessage(model, true)) ?? [],
  }));
}

function modelMessage({ api, model, description, documentation }: ModuleModel, isWhole: boolean): RegistryModel {
  return { api, model, description, documentation: isWhole ? documentation : '' };
}

export function publisherKeyMessage(row: PublisherKeyRow): PublisherKey {
  return {
    id: row.id,
    name: row.name,
    publicKey: Buffer.from(row.public_key, 'base64'),
    addedAt: new Date(row.added_at),
    revokedAt: row.revoked_at === null ? undefined : new Date(row.revoked_at),
  };
}
