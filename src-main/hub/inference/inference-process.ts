import path from 'node:path';
import type {
  InferenceAnswer,
  InferenceQuestion,
  InferenceResult,
  LoadQuestion,
  PictureQuestion,
} from './inference-protocol.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { keepLimits } from '../../base/processes/limited-process.ts';
import { answerProcessCalls } from '../../base/processes/process-calls.ts';
import { classificationsOf } from '../../inference/findings/classify.ts';
import { DEFAULT_BOX_ORDER, type Size } from '../../inference/findings/detect.ts';
import type { Classification, Detection } from '../../inference/findings/finding.ts';
import { findOutputs, listed, type Outputs } from '../../inference/findings/outputs.ts';
import { detectionsIn, outputsOfRun, valuesIn } from '../../inference/findings/reading.ts';
import type { OnnxTensorInfo } from '../../inference/onnx/onnx-protocol.ts';
import type { OnnxSession } from '../../inference/onnx/onnx-session.ts';
import { inputSpec, type InputSpec } from '../../inference/pictures/input-spec.ts';
import type { PixelRule } from '../../inference/pictures/picture-protocol.ts';
import type { TensorInfo, Tensors } from '../../inference/tensor.ts';

/*
 * The process of one model of the registry. The model is untrusted: if it uses too much memory or time, or crashes the
 * runtime, only this process is affected.
 */

/** Outputs in one answer: a message of the hub has at most 32 MiB. */
const MAX_TENSOR_BYTES = 16 * 1024 * 1024;

/** The default of a vision service whose attributes do not configure pixels. */
const PIXELS: PixelRule = { isBgr: false, mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] };

/** Findings of any confidence are returned: the caller decides which are confident enough. */
const acceptAll = (): boolean => true;

interface Loaded {
  readonly session: OnnxSession;
  readonly spec: InputSpec;
  readonly outputs: Outputs;
  readonly labels: readonly string[];
}

async function load({ path: file, labels, threads, processBytes }: LoadQuestion): Promise<Loaded> {
  keepLimits(processBytes);
  const { OnnxSession } = await import('../../inference/onnx/onnx-session.ts').catch((thrown: unknown) => {
    const { message } = toArmatureError(thrown);
    throw new ArmatureError(
      'call.unimplemented',
      `this hub has no ONNX Runtime (${message}); install it with Armature`,
    );
  });
  const session = await OnnxSession.load({ path: file, threads }).catch((thrown: unknown) => {
    const { code, message } = toArmatureError(thrown);
    // Callers must not learn where the hub keeps the file.
    throw new ArmatureError(code, message.replaceAll(path.dirname(file) + path.sep, ''));
  });
  const inputs = session.info.inputs.map(infoOf);
  const found = session.info.outputs.map(infoOf);
  const outputs = findOutputs(found);
  if (outputs.detector === undefined && outputs.classifier === undefined) {
    const wanted = 'location and score of a detector, or probability of a classifier';
    throw new ArmatureError('config.invalid', `none of its outputs is ${wanted}; they are ${listed(found)}`);
  }
  return { session, spec: inputSpec({ inputs }, {}), outputs, labels };
}

function infoOf({ name, type, shape }: OnnxTensorInfo): TensorInfo {
  return { name, description: '', dataType: type, shape, associatedFiles: [], extra: {} };
}

async function infer(
  { session, spec, outputs: known, labels }: Loaded,
  { bytes, mimeType, wantsTensors }: PictureQuestion,
): Promise<InferenceResult> {
  const start = performance.now();
  const { tensorOfPicture } = await import('../../inference/pictures/picture-tensor.ts');
  const { tensor, size } = await tensorOfPicture({ bytes, mimeType, spec, rule: PIXELS });
  const prepared = performance.now();
  const tensors = await session.run([[spec.name, tensor]]);
  const inferMs = performance.now() - prepared;
  const outputs = outputsOfRun(new Map(tensors), known);
  return {
    detections: boxesIn(new Map(tensors), outputs, labels, size, spec),
    classifications: classesIn(new Map(tensors), outputs, labels),
    labels,
    tensors: wantsTensors ? requireSmall(tensors) : [],
    prepareMs: prepared - start,
    inferMs,
  };
}

function boxesIn(
  tensors: Tensors,
  { detector }: Outputs,
  labels: readonly string[],
  picture: Size,
  { width, height }: InputSpec,
): readonly Detection[] | undefined {
  if (detector?.score === undefined) return undefined;
  const input = { width: width ?? picture.width, height: height ?? picture.height };
  const options = { order: DEFAULT_BOX_ORDER, labels, picture, input, filter: acceptAll };
  const found = detectionsIn(tensors, { ...detector, score: detector.score }, options);
  const unknown = found.find(({ label }) => !labels.includes(label));
  if (unknown !== undefined) throw tooFewLabels(labels, `it finds number ${unknown.label}`);
  return byConfidence(found);
}

function classesIn(
  tensors: Tensors,
  { classifier }: Outputs,
  labels: readonly string[],
): readonly Classification[] | undefined {
  if (classifier === undefined) return undefined;
  const { values } = valuesIn(tensors, classifier);
  if (values.length !== labels.length) throw tooFewLabels(labels, `it gives ${values.length} probabilities`);
  return byConfidence(classificationsOf(values, labels, acceptAll));
}

function byConfidence<F extends Classification>(found: readonly F[]): readonly F[] {
  return found.toSorted((one, other) => other.confidence - one.confidence);
}

function tooFewLabels({ length }: readonly string[], found: string): ArmatureError {
  const message = `its labels do not fit it: it has ${length}, and ${found}. Upload it as a new version with its labels, one for each output, in their order`;
  return new ArmatureError('config.invalid', message);
}

function requireSmall(tensors: InferenceResult['tensors']): InferenceResult['tensors'] {
  const bytes = tensors.reduce((sum, [, { data }]) => sum + data.byteLength, 0);
  if (bytes <= MAX_TENSOR_BYTES) return tensors;
  throw new ArmatureError('call.too_large', `its outputs have ${bytes} bytes; one answer has ${MAX_TENSOR_BYTES}`);
}

let loaded: Loaded | undefined;

answerProcessCalls<InferenceQuestion, InferenceAnswer>(async (question) => {
  if (question.kind === 'load') {
    loaded = await load(question);
    return { kind: 'loaded' };
  }
  if (loaded === undefined) throw new ArmatureError('internal.bug', 'a picture came before its model');
  return { kind: 'seen', ...(await infer(loaded, question)) };
});
