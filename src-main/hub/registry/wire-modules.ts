import {
  Visibility,
  type DeprecatedStatus,
  type Model,
  type Module,
  type RegistryItem,
  type VersionHistory,
} from '../../../proto/gen/core/app/v1/app.ts';
import { PackageType } from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { tripletIn, type Dialect } from '../../base/dialect.ts';
import type { CatalogModule, CatalogVersion } from './catalog.ts';
import { moduleIdOf } from './module-ids.ts';
import type { VersionTexts } from './modules.ts';
import type { ModuleModel } from './packages/package-check.ts';

const visibilities = {
  private: Visibility.PRIVATE,
  public: Visibility.PUBLIC,
  unlisted: Visibility.PUBLIC_UNLISTED,
} as const;

/** What is needed to build the messages of a module. */
export interface ModuleFacts {
  readonly module: CatalogModule;
  readonly texts: readonly VersionTexts[];
  /** Number of machines by module id. */
  readonly usage: ReadonlyMap<string, number>;
  /** Whether the documentation is included. */
  readonly isWhole: boolean;
  readonly dialect: Dialect;
}

/** Path of a module in the window. */
export function registryUrl(moduleId: string): string {
  return `/registry/${moduleId}`;
}

export function moduleOf(facts: ModuleFacts): Module {
  const { row, models } = facts.module;
  return {
    moduleId: moduleIdOf(row),
    name: row.name,
    visibility: visibilities[row.visibility],
    versions: versionsOf(facts),
    url: row.url,
    description: row.description,
    models: models.map((model) => modelMessage(model, facts)),
    totalRobotUsage: usageOf(facts),
    totalOrganizationUsage: 0n,
    organizationId: row.organization_id,
    entrypoint: row.entrypoint,
    publicNamespace: row.namespace,
    firstRun: row.first_run,
    markdownDescription: facts.isWhole ? documentationOf(facts) : undefined,
    apps: [],
    deprecatedStatus: deprecatedOf(row.deprecated, row.deprecated_at),
  };
}

export function registryItemOf(facts: ModuleFacts): RegistryItem {
  const { row, models } = facts.module;
  const metadata = {
    models: models.map((model) => modelMessage(model, facts)),
    versions: versionsOf(facts).map((version) => ({ ...version, minViamServerVersion: undefined })),
    entrypoint: row.entrypoint,
    firstRun: row.first_run,
    markdownDescription: facts.isWhole ? documentationOf(facts) : undefined,
    apps: [],
    sourceType: undefined,
    language: undefined,
    minViamServerVersion: undefined,
  };
  return {
    itemId: moduleIdOf(row),
    organizationId: row.organization_id,
    publicNamespace: row.namespace,
    name: row.name,
    type: PackageType.MODULE,
    visibility: visibilities[row.visibility],
    url: row.url,
    description: row.description,
    totalRobotUsage: usageOf(facts),
    totalOrganizationUsage: 0n,
    metadata: { $case: 'moduleMetadata', value: metadata },
    totalExternalRobotUsage: 0n,
    totalExternalOrganizationUsage: 0n,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    deprecatedStatus: deprecatedOf(row.deprecated, row.deprecated_at),
    billing: undefined,
  };
}

function versionsOf(facts: ModuleFacts): VersionHistory[] {
  const texts = new Map(facts.texts.map((text) => [text.version, text]));
  return facts.module.versions.map((version) => {
    const text = texts.get(version.version);
    return {
      version: version.version,
      files: version.files.map(({ platform, uploadedAt }) => ({ platform, uploadedAt: new Date(uploadedAt) })),
      models: text?.models.map((model) => modelMessage(model, facts)) ?? [],
      entrypoint: text?.entrypoint ?? '',
      firstRun: text?.firstRun ?? '',
      markdownDescription: facts.isWhole ? text?.readme : undefined,
      apps: [],
      deprecatedStatus: deprecatedOf(version.yanked, version.yankedAt),
    };
  });
}

function modelMessage(
  { api, model, description, documentation }: ModuleModel,
  { isWhole, dialect }: ModuleFacts,
): Model {
  return {
    api: tripletIn(api, dialect),
    model,
    markdownDocumentation: isWhole ? documentation : undefined,
    description,
    supportedHardware: [],
  };
}

function documentationOf({ module, texts }: ModuleFacts): string {
  const newest: CatalogVersion | undefined = module.latest ?? module.latestPrerelease;
  return module.row.documentation || (texts.find(({ version }) => version === newest?.version)?.readme ?? '');
}

function usageOf({ module, usage }: ModuleFacts): bigint {
  return BigInt(usage.get(moduleIdOf(module.row)) ?? 0);
}

function deprecatedOf(message: string, at: number | null): DeprecatedStatus | undefined {
  return message === '' ? undefined : { deprecatedAt: new Date(at ?? 0), message };
}
