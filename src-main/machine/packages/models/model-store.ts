import { readdir } from 'node:fs/promises';
import { packageNameProblem, packageVersionProblem } from '../../../../proto/config/model-meta.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { PackageId } from '../package-id.ts';
import { hasTexts, PackageStore, type Installed, type PackageKind, type PackageMetadata } from '../package-store.ts';

/** A package of files on this computer. Its `moduleId` is `organization id/name`, its platform `any`. */
export interface ModelPackageMetadata extends PackageMetadata {
  /** When its installation was complete, wall-clock milliseconds: identifies the newest without a hub. */
  readonly readyAt: number;
}

export type InstalledModel = Installed<ModelPackageMetadata>;

const ORGANIZATION = /^[\w-]{1,100}$/;
const TEXTS = ['moduleId', 'version', 'platform', 'sha256'];

const models: PackageKind<ModelPackageMetadata> = {
  area: 'data/ml_model',
  split: splitPackageId,
  join: (organizationId, name) => `${organizationId}/${name}`,
  folderName: modelFolderName,
  isMetadata: (value): value is ModelPackageMetadata => hasTexts(value, TEXTS) && typeof value['readyAt'] === 'number',
  isThere: async (root) => (await readdir(root)).length > 0,
  // Modules read these files, as whatever user they run; the folder of the server restricts who gets that far.
  folderMode: 0o755,
};

/** Models on this computer: `data/ml_model/<organization id>/<name>/<version>_any`. */
export class ModelStore extends PackageStore<ModelPackageMetadata> {
  constructor(folder: string, clock: Clock) {
    super(folder, clock, models);
  }
}

/** @throws {ArmatureError} `call.bad_argument` for an invalid package id */
export function splitPackageId(id: string): readonly [organizationId: string, name: string] {
  const [organizationId = '', name = '', more] = id.split('/');
  if (more === undefined && ORGANIZATION.test(organizationId) && packageNameProblem(name) === undefined) {
    return [organizationId, name];
  }
  throw new ArmatureError(
    'call.bad_argument',
    `"${id.slice(0, 120)}" is not the id of a package; write organization/name.`,
  );
}

/** Only here, text from a hub becomes a path. */
function modelFolderName({ version, platform }: PackageId): string {
  const problem = packageVersionProblem(version);
  if (problem !== undefined) throw new ArmatureError('call.bad_argument', problem);
  if (platform !== 'any') {
    throw new ArmatureError(
      'call.bad_argument',
      `"${platform.slice(0, 60)}" is no platform of a model, which is for any.`,
    );
  }
  return `${version}_any`;
}
