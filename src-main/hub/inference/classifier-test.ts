import {
  answersThatCount,
  isTestable,
  LAST_UNTESTED_DAY,
  verdictOf,
  type AnswerVerdict,
} from '../../../proto/config/datasets/classifier-test.ts';
import {
  TestVerdict,
  type TestClassifierRequest,
  type TestClassifierResponse,
  type TestedPicture,
} from '../../../proto/gen/core/hub/v1/inference.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { visibleBinary } from '../data/binary/binary-items.ts';
import { binaryPage, type BinaryRow } from '../data/binary/binary-rows.ts';
import { binaryQuery } from '../data/query/filter.ts';
import { requiredScope } from '../data/query/scope.ts';
import { requireDataset } from '../datasets/dataset-service.ts';
import type { Datasets } from '../datasets/datasets.ts';
import { picturesOf } from '../labelling/dataset-pictures.ts';
import type { StoredPackage } from '../registry/models/packages.ts';
import type { Store } from '../storage/store.ts';
import { labelsOfPicture, readPicture } from './captured-pictures.ts';
import type { InferenceResult } from './inference-protocol.ts';
import { keyOfCaller, type ModelRuns } from './model-runs.ts';
import { nameOf } from './stored-model.ts';

const DEFAULT_PICTURES = 200;
const MAX_PICTURES = 1_000;

export interface ClassifierTestOptions {
  readonly store: Store;
  readonly datasets: Datasets;
  readonly blobs: Blobs;
  readonly runs: ModelRuns;
}

const verdicts: Readonly<Record<AnswerVerdict, TestVerdict>> = {
  right: TestVerdict.RIGHT,
  wrong: TestVerdict.WRONG,
  unlabelled: TestVerdict.UNLABELLED,
};

/**
 * Runs a classifier on pictures, one after the other, and compares its answers with the labels of the pictures. If a
 * picture cannot be read, only that picture fails; a problem with the model ends the test.
 * @throws {ArmatureError} `call.failed_precondition` for a detector, and for a model that was uploaded too early
 */
export async function* testClassifier(
  model: StoredPackage,
  request: TestClassifierRequest,
  caller: Caller,
  signal: AbortSignal,
  options: ClassifierTestOptions,
): AsyncGenerator<TestClassifierResponse> {
  requireTestable(model);
  const rows = await picturesFor(request, caller, options);
  if (rows.length === 0) {
    const message = `There are no pictures to test ${nameOf(model)} on: choose a dataset or a filter that has some.`;
    throw new ArmatureError('call.failed_precondition', message);
  }
  yield { part: { $case: 'start', value: { version: model.version, pictures: rows.length } } };
  for (const row of rows) {
    yield { part: { $case: 'picture', value: await testPicture(row, model, caller, signal, options) } };
  }
}

/** Checks what the metadata of the model says. The real kind of model shows only when it is run. */
function requireTestable(model: StoredPackage): void {
  if (model.metadata['model_type'] === 'object_detection') throw detectorError(model);
  if (isTestable(model.uploadedAt)) return;
  const day = new Date(model.uploadedAt).toISOString().slice(0, 10);
  const message = `${nameOf(model)} was uploaded on ${day}; tests on stored pictures are for classifiers that were uploaded after ${LAST_UNTESTED_DAY}. Upload it as a new version.`;
  throw new ArmatureError('call.failed_precondition', message, { details: { uploadedOn: day } });
}

function detectorError(model: StoredPackage): ArmatureError {
  const message = `${nameOf(model)} is a detector; tests on stored pictures are for classifiers. See what it finds where pictures are labelled.`;
  return new ArmatureError('call.failed_precondition', message);
}

async function picturesFor(
  { of, limit }: TestClassifierRequest,
  caller: Caller,
  { store: { db }, datasets }: ClassifierTestOptions,
): Promise<readonly BinaryRow[]> {
  const max = limit === 0 ? DEFAULT_PICTURES : Math.min(limit, MAX_PICTURES);
  if (of?.$case === 'dataset') {
    await requireDataset('data.read', of.value.datasetId, caller, datasets);
    const { ids } = await picturesOf(of.value, db);
    return visibleBinary(ids.slice(0, max), caller, db);
  }
  if (of === undefined) {
    const message = 'Neither "dataset" nor "filter" is set: say on which pictures to test.';
    throw new ArmatureError('call.bad_argument', message);
  }
  const { condition } = await requiredScope(caller, 'data.read', db);
  return binaryPage(binaryQuery(of.value, condition), { limit: max, isAscending: false, after: undefined }, db);
}

async function testPicture(
  row: BinaryRow,
  model: StoredPackage,
  caller: Caller,
  signal: AbortSignal,
  { store, blobs, runs }: ClassifierTestOptions,
): Promise<TestedPicture> {
  const picture = { binaryDataId: row.id, answers: [], labels: [], problem: '', prepareMs: 0, inferMs: 0 };
  let result: InferenceResult;
  try {
    const read = async () => ({ ...(await readPicture(row, blobs, store.db)), wantsTensors: false });
    result = await runs.run(model, read, keyOfCaller(caller), signal);
  } catch (thrown) {
    const error = toArmatureError(thrown);
    if (!isPictureError(error)) throw error;
    return { ...picture, verdict: TestVerdict.FAILED, problem: error.message };
  }
  const { classifications, labels: known, prepareMs, inferMs } = result;
  if (classifications === undefined) throw detectorError(model);
  const mayGiveSeveral = model.metadata['model_type'] === 'multi_label_classification';
  const answers = answersThatCount(classifications, mayGiveSeveral);
  const pictureLabels = await labelsOfPicture(row, store.db);
  const labels = known.filter((label) => pictureLabels.has(label));
  return {
    ...picture,
    verdict: verdicts[verdictOf(answers, labels, mayGiveSeveral)],
    answers: answers.map(({ label, confidence }) => ({ id: '', label, confidence })),
    labels,
    prepareMs,
    inferMs,
  };
}

/** Whether only this picture is the problem, as it is damaged or too large: the next one may be fine. */
function isPictureError({ code }: ArmatureError): boolean {
  return code === 'call.bad_argument' || code === 'call.too_large' || code === 'store.corrupt';
}
