import { PackageServiceDefinition, PackageType } from '../../../../proto/gen/core/app/packages/v1/packages.ts';
import { ModelServiceDefinition, type UploadModelRequest } from '../../../../proto/gen/core/hub/v1/models.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { ModelCalls, ModelToUpload } from '../models-view.ts';
import { quick } from './call-options.ts';
import { piecesOf } from './pieces.ts';

export function modelCalls(channel: Channel): ModelCalls {
  const models = createClient(ModelServiceDefinition, channel);
  const packages = createClient(PackageServiceDefinition, channel);
  return {
    list: () => models.list({ organizationId: '' }, quick),
    async upload(model, onSent, signal) {
      await models.upload(requestsOf(model, onSent), { signal });
    },
    async delete(id, version) {
      await packages.deletePackage({ id, version, type: PackageType.ML_MODEL }, quick);
    },
    async *watchChanges(signal) {
      for await (const { id } of models.watchChanges({}, { signal })) yield id;
    },
  };
}

async function* requestsOf(
  { file, labels, ...model }: ModelToUpload,
  onSent: (bytes: number) => void,
): AsyncGenerator<UploadModelRequest> {
  yield { part: { $case: 'model', value: { ...model, labels: [...labels], bytes: BigInt(file.size) } } };
  for await (const value of piecesOf(file, onSent)) yield { part: { $case: 'bytes', value } };
}
