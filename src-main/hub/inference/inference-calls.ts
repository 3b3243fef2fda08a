import type { Annotations } from '../../../proto/gen/core/app/data/v1/data.ts';
import type { MLInferenceServiceDefinition } from '../../../proto/gen/core/app/mlinference/v1/ml_inference.ts';
import type { HubInferenceServiceDefinition } from '../../../proto/gen/core/hub/v1/inference.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { flatTensors } from '../../inference/flat-tensors.ts';
import type { Caller } from '../access/caller.ts';
import type { HubHandlers } from '../access/guarded.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { idOf, requiredBinary } from '../data/binary/binary-items.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { Organizations } from '../fleet/organizations.ts';
import { notFound } from '../places/fleet-errors.ts';
import { readablePackage } from '../registry/models/package-calls.ts';
import type { Packages, StoredPackage } from '../registry/models/packages.ts';
import type { Store } from '../storage/store.ts';
import { readPicture } from './captured-pictures.ts';
import { testClassifier } from './classifier-test.ts';
import type { InferenceResult } from './inference-protocol.ts';
import { keyOfCaller, type ModelRuns } from './model-runs.ts';

export interface InferenceCallsOptions {
  readonly store: Store;
  readonly packages: Packages;
  readonly organizations: Organizations;
  readonly datasets: Datasets;
  /** Captured pictures. */
  readonly blobs: Blobs;
  readonly runs: ModelRuns;
}

/** `core.app.mlinference.v1.MLInferenceService`, the public interface. */
export function inferenceCalls(options: InferenceCallsOptions): HubHandlers<typeof MLInferenceServiceDefinition> {
  const { organizations } = options;
  /**
   * Converts `namespace:name` to `organization id/name`, as the hub's own ids are; leaves those as they are. The
   * namespace may be an organization id too.
   */
  const packageId = async (itemId: string): Promise<string> => {
    const [namespace = '', name = '', more] = itemId.split(':');
    if (name === '' || more !== undefined) return itemId;
    const organization = await organizations.ofNamespace(namespace).catch((thrown: unknown) => {
      // It may be an organization id instead; if not, no model is found.
      if (toArmatureError(thrown).code === 'call.not_found') return undefined;
      throw thrown;
    });
    return `${organization?.id ?? namespace}/${name}`;
  };
  return {
    async getInference(request, caller, call) {
      const { registryItemId, registryItemVersion, binaryId, organizationId, binaryDataId } = request;
      if (registryItemId === '') {
        throw new ArmatureError(
          'call.bad_argument',
          'The "registry_item_id" is missing: say which model is to be run.',
        );
      }
      const model = await modelOf(await packageId(registryItemId), registryItemVersion, caller, options.packages);
      const picture = { binaryDataId: idOf(binaryDataId, binaryId), organizationId, wantsTensors: true };
      const result = await run(model, picture, caller, call.signal, options);
      return { outputTensors: flatTensors(new Map(result.tensors)), annotations: annotationsOf(result) };
    },
  };
}

/** `core.hub.v1.HubInferenceService`, for the window. */
export function hubInferenceCalls(options: InferenceCallsOptions): HubHandlers<typeof HubInferenceServiceDefinition> {
  return {
    async run({ modelId, version, binaryDataId }, caller, call) {
      const model = await modelOf(modelId, version, caller, options.packages);
      const picture = { binaryDataId, organizationId: '', wantsTensors: false };
      const result = await run(model, picture, caller, call.signal, options);
      const { labels, prepareMs, inferMs } = result;
      return { version: model.version, annotations: annotationsOf(result), labels: [...labels], prepareMs, inferMs };
    },

    async *testClassifier(request, caller, call) {
      const model = await modelOf(request.modelId, request.version, caller, options.packages);
      yield* testClassifier(model, request, caller, call.signal, options);
    },
  };
}

/** @throws {ArmatureError} `call.not_found`, with the same message for a model that the caller may not see */
async function modelOf(id: string, version: string, caller: Caller, packages: Packages): Promise<StoredPackage> {
  const name = { ...readablePackage(caller, id), type: 'ml_model' } as const;
  const answer = await packages.resolve(name, version === '' ? 'latest' : version);
  if (answer.version === '') throw new ArmatureError('call.not_found', answer.problem, { details: { id, version } });
  return packages.get({ ...name, version: answer.version });
}

interface WantedPicture {
  readonly binaryDataId: string;
  /** The picture must belong to this organization; '' for any. */
  readonly organizationId: string;
  readonly wantsTensors: boolean;
}

async function run(
  model: StoredPackage,
  { binaryDataId, organizationId, wantsTensors }: WantedPicture,
  caller: Caller,
  signal: AbortSignal,
  { store, blobs, runs }: InferenceCallsOptions,
): Promise<InferenceResult> {
  if (binaryDataId === '') {
    const message = 'The "binary_data_id" is missing: say on which picture the model is to be run.';
    throw new ArmatureError('call.bad_argument', message);
  }
  const [row] = await requiredBinary([binaryDataId], 'data.read', caller, store.db);
  if (row === undefined) throw notFound('binary data', binaryDataId);
  const read = async () => {
    const picture = await readPicture(row, blobs, store.db);
    if (organizationId !== '' && picture.organizationId !== organizationId) throw notFound('binary data', binaryDataId);
    return { ...picture, wantsTensors };
  };
  return runs.run(model, read, keyOfCaller(caller), signal);
}

function annotationsOf({ detections = [], classifications = [] }: InferenceResult): Annotations {
  return {
    bboxes: detections.map(({ label, confidence, shares }) => ({
      ...{ id: '', label, confidence },
      ...{ xMinNormalized: shares?.xMin ?? 0, yMinNormalized: shares?.yMin ?? 0 },
      ...{ xMaxNormalized: shares?.xMax ?? 0, yMaxNormalized: shares?.yMax ?? 0 },
    })),
    classifications: classifications.map(({ label, confidence }) => ({ id: '', label, confidence })),
  };
}
