import {
  PackageServiceDefinition,
  PackageType,
  type CreatePackageRequest,
  type Package,
} from '../../../../proto/gen/core/app/packages/v1/packages.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { ScriptCalls, ScriptToUpload, ScriptVersion, TrainingScript } from '../training/script-calls.ts';
import { quick } from './call-options.ts';
import { piecesOf } from './pieces.ts';

const type = PackageType.ML_TRAINING;

export function scriptCalls(channel: Channel): ScriptCalls {
  const packages = createClient(PackageServiceDefinition, channel);
  return {
    async list(organizationId) {
      const request = { organizationId, name: '', version: '', type, includeUrl: false };
      return scriptsIn((await packages.listPackages(request, quick)).packages);
    },

    async upload(script, onSent, signal) {
      await packages.createPackage(requestsOf(script, onSent), { signal });
    },

    async delete({ organizationId, name }, version) {
      await packages.deletePackage({ id: `${organizationId}/${name}`, version, type }, quick);
    },
  };
}

/** Each package is one version; groups the versions of a script. */
function scriptsIn(packages: readonly Package[]): readonly TrainingScript[] {
  const byName = new Map<string, Package[]>();
  for (const one of packages) {
    const name = one.info?.name ?? '';
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  return [...byName]
    .map(([name, versions]) => {
      const organizationId = versions[0]?.info?.organizationId ?? '';
      const newestFirst = versions.map(versionOf).sort((a, b) => (b.uploadedAt ?? 0) - (a.uploadedAt ?? 0));
      return { organizationId, name, itemId: `${organizationId}:${name}`, versions: newestFirst };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
}

function versionOf({ info, createdOn }: Package): ScriptVersion {
  const { model_type: modelType, visibility } = info?.metadata ?? {};
  return {
    version: info?.version ?? '',
    modelType: typeof modelType === 'string' ? modelType : 'unspecified',
    isPublic: visibility === 'public',
    uploadedAt: createdOn?.getTime(),
  };
}

async function* requestsOf(
  { file, modelType, isPublic, ...about }: ScriptToUpload,
  onSent: (bytes: number) => void,
): AsyncGenerator<CreatePackageRequest> {
  const visibility = isPublic ? 'public' : 'private';
  const metadata = { model_type: modelType, model_framework: 'unspecified', draft: false, url: '', visibility };
  yield { package: { $case: 'info', value: { ...about, type, files: [], metadata, platform: undefined } } };
  for await (const value of piecesOf(file, onSent)) yield { package: { $case: 'contents', value } };
}
