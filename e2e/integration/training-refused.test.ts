import { expect, it, onTestFinished } from 'vitest';
import { AppServiceDefinition } from '../../proto/gen/core/app/v1/app.ts';
import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
} from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../proto/gen/core/hub/v1/training.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { startServer } from '../harness/server-process.ts';

it('the hub beside a machine in an untrusted environment trains nothing, and says why', async () => {
  const config = JSON.stringify({ network: { bind_address: 'localhost:0' } });
  const server = await startServer({ config, args: ['-untrusted-env'] });
  onTestFinished(async () => void (await server.stop()));
  const client = new GrpcClient(server);
  onTestFinished(() => client.close());
  const { organizations } = await client.call(AppServiceDefinition, 'listOrganizations', {});
  const organizationId = organizations[0]?.id ?? '';
  const { kind, trouble } = await client.call(HubTrainingServiceDefinition, 'getRunner', { organizationId });
  expect([kind, trouble]).toEqual(['local', expect.stringContaining('-untrusted-env')]);
  const job = {
    ...{ organizationId, datasetId: 'd', modelName: 'm', modelVersion: '1', tags: ['a', 'b'] },
    ...{ modelType: ModelType.SINGLE_LABEL_CLASSIFICATION, modelFramework: ModelFramework.ONNX },
  };
  await expect(client.call(MLTrainingServiceDefinition, 'submitTrainingJob', job)).rejects.toMatchObject({
    code: StatusCode.FAILED_PRECONDITION,
    details: trouble,
  });
});
