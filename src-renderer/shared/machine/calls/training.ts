import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
} from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../../../proto/gen/core/hub/v1/training.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { callFailure } from '../rpc/call-failure.ts';
import type { TrainingCalls } from '../training/training-calls.ts';
import { quick } from './call-options.ts';

/** The dataset is copied before the hub answers, and a Python may have to be started. */
const submission = { timeoutMs: 5 * 60_000 };
/** The hub asks a Python what is installed. */
const probe = { timeoutMs: 45_000 };

export function trainingCalls(channel: Channel): TrainingCalls {
  const training = createClient(MLTrainingServiceDefinition, channel);
  const hub = createClient(HubTrainingServiceDefinition, channel);
  return {
    async list(organizationId, signal) {
      return (await hub.listJobs({ organizationId }, { ...quick, signal })).jobs;
    },

    get: (id, signal) => hub.getJob({ id }, { ...quick, signal }),

    async log(id, pageToken, signal) {
      const { logs, nextPageToken, isOver } = await hub.getJobLog({ id, pageToken }, { ...quick, signal });
      return { lines: logs, nextToken: isOver ? '' : nextPageToken };
    },

    prepare({ modelType = ModelType.UNSPECIFIED, modelName, modelVersion, labels, ...of }, signal) {
      const chosen = labels && { labels: [...labels] };
      return hub.prepareJob({ ...of, modelType, modelName, modelVersion, labels: chosen }, { ...probe, signal });
    },

    async submit({ tags, ...job }) {
      const request = { ...job, tags: [...tags], modelFramework: ModelFramework.ONNX };
      return (await training.submitTrainingJob(request, submission)).id;
    },

    async submitScript({ itemId, scriptVersion, arguments: given, ...job }) {
      const script = { registryItemId: itemId, registryItemVersion: scriptVersion, containerVersion: '' };
      return (await training.submitCustomTrainingJob({ ...job, ...script, arguments: { ...given } }, submission)).id;
    },

    async cancel(id) {
      await training.cancelTrainingJob({ id }, quick);
    },

    async delete(id) {
      await training.deleteCompletedTrainingJob({ id }, quick);
    },

    runner: (organizationId, signal) => hub.getRunner({ organizationId }, { ...probe, signal }),

    async settings(signal) {
      try {
        return (await hub.getTrainingSettings({}, { ...quick, signal })).settings;
      } catch (thrown) {
        // Only owners of the hub may read them.
        if (callFailure(thrown).code === 'PERMISSION_DENIED') return undefined;
        throw thrown;
      }
    },

    async setSettings(settings) {
      await hub.setTrainingSettings({ settings }, quick);
    },
  };
}
