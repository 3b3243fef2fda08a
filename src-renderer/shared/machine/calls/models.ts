import { PackageServiceDefinition, PackageType } from '../../../../proto/gen/core/app/packages/v1/packages.ts';
import { ModelServiceDefinition, type UploadModelRequest } from '../../../../proto/gen/core/hub/v1/models.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { ModelCalls, ModelToUpload } from '../models-view.ts';
import { quick } from './call-options.ts';

/** Small enough that what moves and what stops is not held up behind a piece. */
const pieceBytes = 64 * 1024;

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

/** Each piece is read when the one before was taken. */
async function* requestsOf(
  { file, labels, ...model }: ModelToUpload,
  onSent: (bytes: number) => void,
): AsyncGenerator<UploadModelRequest> {
  yield { part: { $case: 'model', value: { ...model, labels: [...labels], bytes: BigInt(file.size) } } };
  for (let at = 0; at < file.size; at += pieceBytes) {
    const value = new Uint8Array(await file.slice(at, at + pieceBytes).arrayBuffer());
    yield { part: { $case: 'bytes', value } };
    onSent(Math.min(at + pieceBytes, file.size));
  }
}
