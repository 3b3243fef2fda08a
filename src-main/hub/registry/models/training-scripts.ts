import { ModelFramework, ModelType } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { PackageType } from '../../../../proto/gen/core/app/packages/v1/packages.ts';
import { Visibility, type RegistryItem } from '../../../../proto/gen/core/app/v1/app.ts';
import type { Queries } from '../../storage/tables.ts';
import type { Packages, StoredPackage } from './packages.ts';

/** A training script with its versions, last uploaded first. */
export interface TrainingScriptItem {
  readonly organizationId: string;
  /** '' if the organization has none. */
  readonly namespace: string;
  readonly name: string;
  readonly versions: readonly [StoredPackage, ...StoredPackage[]];
}

/** Training scripts that organizations store as packages, with ids `<organization id or namespace>:<name>`. */
export class TrainingScripts {
  readonly #packages: Packages;
  readonly #db: Queries;

  constructor(packages: Packages, db: Queries) {
    this.#packages = packages;
    this.#db = db;
  }

  /** Undefined if there is no such script or the id is malformed. The caller checks permissions. */
  async get(itemId: string): Promise<TrainingScriptItem | undefined> {
    const [prefix = '', name = '', more] = itemId.split(':');
    if (prefix === '' || name === '' || more !== undefined) return undefined;
    const owner = await this.#db
      .selectFrom('organizations')
      .select(['id', 'public_namespace'])
      .where((where) => where.or([where('id', '=', prefix), where('public_namespace', '=', prefix)]))
      .executeTakeFirst();
    if (owner === undefined) return undefined;
    const [first, ...others] = await this.#packages.list([owner.id], { type: 'ml_training', name });
    if (first === undefined) return undefined;
    return {
      ...{ organizationId: owner.id, namespace: owner.public_namespace ?? '', name },
      versions: [first, ...others],
    };
  }
}

/** Whether every organization may run a version. */
export function isPublicScript({ metadata }: StoredPackage): boolean {
  return metadata['visibility'] === 'public';
}

/** The versions of a script that other organizations may see; undefined if there are none. */
export function publicPart(script: TrainingScriptItem): TrainingScriptItem | undefined {
  const [first, ...others] = script.versions.filter(isPublicScript);
  return first && { ...script, versions: [first, ...others] };
}

/** A script as an item of the registry, for public tools. */
export function scriptItemMessage({ organizationId, namespace, name, versions }: TrainingScriptItem): RegistryItem {
  const [newest] = versions;
  const { model_type: type, model_framework: framework, draft, url } = newest.metadata;
  return {
    itemId: `${namespace === '' ? organizationId : namespace}:${name}`,
    organizationId,
    publicNamespace: namespace,
    name,
    type: PackageType.ML_TRAINING,
    visibility: isPublicScript(newest) ? Visibility.PUBLIC : Visibility.PRIVATE,
    url: typeof url === 'string' ? url : '',
    description: '',
    totalRobotUsage: 0n,
    totalOrganizationUsage: 0n,
    metadata: {
      $case: 'mlTrainingMetadata',
      value: {
        modelType: named(ModelType, type),
        modelFramework: named(ModelFramework, framework),
        draft: draft === true,
        versions: versions.map(({ version, uploadedAt }) => ({ version, createdOn: new Date(uploadedAt) })),
      },
    },
    totalExternalRobotUsage: 0n,
    totalExternalOrganizationUsage: 0n,
    createdAt: new Date(versions.at(-1)?.uploadedAt ?? newest.uploadedAt),
    updatedAt: new Date(newest.uploadedAt),
    deprecatedStatus: undefined,
    billing: undefined,
  };
}

/** The enum value whose name is the text in upper case; the unspecified value for any other text. */
function named<T extends number>(values: Readonly<Record<string, T>>, name: unknown): T {
  const found = typeof name === 'string' ? values[name.toUpperCase()] : undefined;
  return found ?? (0 as T);
}
